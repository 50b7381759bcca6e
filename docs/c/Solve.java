// Solve positions from standard input, as solve.c does. Needs JNA, which Android and Kotlin use in the same way.
import com.sun.jna.*;
import java.util.Scanner;

public class Solve {
    public interface Minesweeper extends Library {
        Pointer mines_new();
        int mines_free(Pointer kernel);
        String mines_error(int result);
        Pointer mines_grid_new(int rows, int cols, int kind, byte[] holes);
        void mines_grid_free(Pointer grid);
        int mines_set_view(Pointer kernel, Pointer grid, int mines, byte[] cells);
        int mines_closure(Pointer kernel, byte[] known);
        int mines_probabilities(Pointer kernel, byte[] given, double[] chances, double[] logLayouts);
        int mines_find_hint(Pointer kernel, byte[] given, int[] hint, byte[] parts);
    }

    public static void main(String[] arguments) {
        Minesweeper library = Native.load("minesweeper", Minesweeper.class);
        Pointer kernel = library.mines_new();
        for (Scanner in = new Scanner(System.in); in.hasNext(); ) {
            int rows = in.nextInt(), cols = in.nextInt(), kind = in.nextInt(), mines = in.nextInt(), size = rows * cols;
            String shown = in.next();
            byte[] cells = new byte[size], holes = new byte[size], known = new byte[size], parts = new byte[size];
            double[] chances = new double[size], log = new double[1];
            int[] hint = new int[4]; // tier, smallest, cell, mine
            for (int i = 0; i < size; ++i) {
                holes[i] = (byte) (shown.charAt(i) == '-' ? 1 : 0);
                cells[i] = (byte) (shown.charAt(i) == '#' ? -1 : holes[i] == 1 ? 0 : shown.charAt(i) - '0');
            }
            Pointer grid = library.mines_grid_new(rows, cols, kind, holes);
            int result = library.mines_set_view(kernel, grid, mines, cells);
            if (result == 0) result = library.mines_closure(kernel, known);
            if (result == 0) result = library.mines_probabilities(kernel, null, chances, log);
            if (result == 0) result = library.mines_find_hint(kernel, null, hint, parts);
            library.mines_grid_free(grid);
            StringBuilder line = new StringBuilder();
            for (byte mark : known) line.append(mark);
            line.append(String.format(" %.12f %d ", log[0], hint[0]));
            for (int i = 0; i < size && hint[0] > 0; ++i) line.append(parts[i]);
            for (double chance : chances) if (!Double.isNaN(chance)) line.append(String.format(" %.12f", chance));
            System.out.println(result == 0 || result == 3 ? line : library.mines_error(result)); // 3: there is no hint
        }
        library.mines_free(kernel);
    }
}
