// Solve positions from standard input, as solve.c does: a line is ROWS COLS KIND MINES CELLS. Needs JNA, which Android
// and Kotlin use in the same way: javac -cp jna.jar docs/c/Solve.java
import com.sun.jna.*;
import java.util.Scanner;

public class Solve {
    public interface Minesweeper extends Library {
        Pointer mines_new();
        int mines_free(Pointer kernel);
        String mines_error(int result);
        String mines_message(Pointer kernel);
        Pointer mines_grid_new(int rows, int cols, int kind, byte[] holes);
        void mines_grid_free(Pointer grid);
        int mines_set_view(Pointer kernel, Pointer grid, int mines, byte[] cells);
        int mines_closure(Pointer kernel, byte[] known);
        int mines_probabilities(Pointer kernel, byte[] given, double[] chances, double[] logLayouts);
        int mines_find_hint(Pointer kernel, byte[] given, int[] hint, byte[] parts);
    }

    static void wrong(String why) {
        System.err.println(why + "; expected lines ROWS COLS KIND MINES CELLS, such as 2 5 0 2 #121######");
        System.exit(2);
    }

    public static void main(String[] arguments) {
        Minesweeper library = Native.load("minesweeper", Minesweeper.class);
        Pointer kernel = library.mines_new();
        for (Scanner in = new Scanner(System.in); in.hasNext(); ) {
            String line = in.nextLine().trim();
            if (!line.matches("([0-9]{1,7} ){4}[-#0-8]+")) wrong("invalid line");
            String[] words = line.split(" ");
            int rows = Integer.parseInt(words[0]), cols = Integer.parseInt(words[1]), size = words[4].length();
            int kind = Integer.parseInt(words[2]), mines = Integer.parseInt(words[3]);
            if ((long) rows * cols != size) wrong("invalid cells");
            String shown = words[4];
            byte[] cells = new byte[size], holes = new byte[size], known = new byte[size], parts = new byte[size];
            double[] chances = new double[size], log = new double[1];
            int[] hint = new int[4]; // tier, smallest, cell, mine
            for (int i = 0; i < size; ++i) {
                holes[i] = (byte) (shown.charAt(i) == '-' ? 1 : 0);
                cells[i] = (byte) (shown.charAt(i) == '#' ? -1 : holes[i] == 1 ? 0 : shown.charAt(i) - '0');
            }
            Pointer grid = library.mines_grid_new(rows, cols, kind, holes);
            if (grid == null) wrong("no such grid");
            int result = library.mines_set_view(kernel, grid, mines, cells);
            if (result == 0) result = library.mines_closure(kernel, known);
            if (result == 0) result = library.mines_probabilities(kernel, null, chances, log);
            if (result == 0) result = library.mines_find_hint(kernel, null, hint, parts);
            if (result == 5) wrong(library.mines_message(kernel)); // an argument is out of range
            library.mines_grid_free(grid);
            StringBuilder found = new StringBuilder();
            for (byte mark : known) found.append(mark);
            found.append(String.format(" %.12f %d ", log[0], hint[0]));
            for (int i = 0; i < size && hint[0] > 0; ++i) found.append(parts[i]);
            for (double chance : chances) if (!Double.isNaN(chance)) found.append(String.format(" %.12f", chance));
            System.out.println(result == 0 || result == 3 ? found : library.mines_error(result)); // 3: there is no hint
        }
        library.mines_free(kernel);
    }
}
