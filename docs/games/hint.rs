// Find the easiest deduction: the cells that follow, and the clues that show why.
use std::{ffi::CStr, os::raw::c_char, ptr::null};

#[repr(C)]
#[derive(Default)]
struct Sentence { name: usize, clue: i32, other: i32, numbers: [i32; 12] }

#[link(name = "minesweeper")]
extern "C" {
    fn mines_new() -> *mut u8;
    fn mines_grid_new(rows: i32, cols: i32, kind: i32, holes: *const u8) -> *mut u8;
    fn mines_set_view(kernel: *mut u8, grid: *const u8, mines: i32, cells: *const i8) -> i32;
    fn mines_find_hint(kernel: *mut u8, given: *const u8, hint: *mut [i32; 4], parts: *mut u8) -> i32;
    fn mines_explain(kernel: *mut u8, step: i32, why: *mut Sentence) -> i32;
}

fn main() {
    let cells = [-1, 1, 2, 1, -1, -1, -1, -1, -1, -1]; // as the player sees them, -1 for a hidden one
    let (mut hint, mut parts, mut why) = ([0; 4], [0; 10], Sentence::default());
    let found = unsafe {
        let (kernel, grid) = (mines_new(), mines_grid_new(2, 5, 0, null()));
        mines_set_view(kernel, grid, 2, cells.as_ptr()) == 0
            && mines_find_hint(kernel, null(), &mut hint, parts.as_mut_ptr()) == 0
            && mines_explain(kernel, 0, &mut why) == 0
    };
    assert!(found);
    parts.chunks(5).for_each(|row| println!("{}", row.iter().map(|&part| ['.', 's', 'm', '*'][part as usize]).collect::<String>()));
    let name = unsafe { CStr::from_ptr(why.name as *const c_char) }.to_str().unwrap();
    println!("{name} {} {}", why.clue, why.other);
}
