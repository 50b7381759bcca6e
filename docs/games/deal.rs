// Make a board when the player clicks.
use std::ptr::null;

#[repr(C)]
struct Recipe { grid: *const u8, mines: i32, click: i32, opening: i32, seed: u64 }

#[link(name = "minesweeper")]
extern "C" {
    fn mines_new() -> *mut u8;
    fn mines_grid_new(rows: i32, cols: i32, kind: i32, holes: *const u8) -> *mut u8;
    fn mines_deal(kernel: *mut u8, recipe: *const Recipe, mine: *mut u8, solution: *mut u64) -> i32;
}

fn main() {
    let (mut mine, mut solution) = ([0u8; 16 * 30], [0; 6]); // and a mines_solution, which is not read
    let (kernel, grid) = unsafe { (mines_new(), mines_grid_new(16, 30, 0, null())) };
    let recipe = Recipe { grid, mines: 99, click: 3 * 30 + 20, opening: 1, seed: 7 };
    assert!(unsafe { mines_deal(kernel, &recipe, mine.as_mut_ptr(), solution.as_mut_ptr()) } == 0);
    mine.chunks(30).for_each(|row| println!("{}", row.iter().map(|&one| ['.', '*'][one as usize]).collect::<String>()));
}
