// Find the easiest deduction: the cells that follow, and the clues that show why. Kotlin calls JNA in the same way.
import com.sun.jna.*;

public class Hint {
    public interface Minesweeper extends Library {
        Pointer mines_new();
        Pointer mines_grid_new(int rows, int cols, int kind, byte[] holes);
        int mines_set_view(Pointer kernel, Pointer grid, int mines, byte[] cells);
        int mines_find_hint(Pointer kernel, byte[] given, int[] hint, byte[] parts);
        int mines_explain(Pointer kernel, int step, Memory why);
    }

    public static void main(String[] arguments) {
        Minesweeper library = Native.load("minesweeper", Minesweeper.class);
        Pointer kernel = library.mines_new(), grid = library.mines_grid_new(2, 5, 0, null);
        byte[] cells = {-1, 1, 2, 1, -1, -1, -1, -1, -1, -1}, parts = new byte[10]; // -1 for a hidden cell
        Memory why = new Memory(64); // mines_sentence: a name, and numbers
        library.mines_set_view(kernel, grid, 2, cells);
        if (library.mines_find_hint(kernel, null, new int[4], parts) != 0) return; // nothing follows
        library.mines_explain(kernel, 0, why);
        for (int cell = 0; cell < 10; ++cell)
            System.out.print(".sm*".charAt(parts[cell]) + (cell % 5 == 4 ? "\n" : "")); // safe, a mine, a clue
        System.out.println(why.getPointer(0).getString(0) + " " + why.getInt(8) + " " + why.getInt(12));
    }
}
