// Make a board when the player clicks. Kotlin calls JNA in the same way.
import com.sun.jna.*;

public class Deal {
    public interface Minesweeper extends Library {
        Pointer mines_new();
        Pointer mines_grid_new(int rows, int cols, int kind, byte[] holes);
        int mines_deal(Pointer kernel, Memory recipe, byte[] mine, Memory solution);
    }

    public static void main(String[] arguments) {
        Minesweeper library = Native.load("minesweeper", Minesweeper.class);
        Pointer kernel = library.mines_new(), grid = library.mines_grid_new(16, 30, 0, null);
        byte[] mine = new byte[16 * 30];
        Memory recipe = new Memory(32), solution = new Memory(64); // mines_recipe and mines_solution
        recipe.setPointer(0, grid);
        recipe.write(8, new int[] {99, 3 * 30 + 20, 1}, 0, 3); // mines, click, and that it opens a zero
        recipe.setLong(24, 7); // the seed
        library.mines_deal(kernel, recipe, mine, solution);
        for (int cell = 0; cell < mine.length; ++cell)
            System.out.print((mine[cell] == 1 ? "*" : ".") + (cell % 30 == 29 ? "\n" : ""));
    }
}
