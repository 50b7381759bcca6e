// Solve positions from standard input, as solve.c does.
use std::{ffi::CStr, io, os::raw::c_char, ptr::null};

#[link(name = "minesweeper")]
extern "C" {
    fn mines_new() -> *mut u8;
    fn mines_free(kernel: *mut u8) -> i32;
    fn mines_error(result: i32) -> *const c_char;
    fn mines_grid_new(rows: i32, cols: i32, kind: i32, holes: *const u8) -> *mut u8;
    fn mines_grid_free(grid: *mut u8);
    fn mines_set_view(kernel: *mut u8, grid: *const u8, mines: i32, cells: *const i8) -> i32;
    fn mines_closure(kernel: *mut u8, known: *mut u8) -> i32;
    fn mines_probabilities(kernel: *mut u8, given: *const u8, chances: *mut f64, log: *mut f64) -> i32;
    fn mines_find_hint(kernel: *mut u8, given: *const u8, hint: *mut [i32; 4], parts: *mut u8) -> i32;
}

fn main() {
    let digits = |marks: &[u8]| marks.iter().map(u8::to_string).collect::<String>();
    let kernel = unsafe { mines_new() };
    for line in io::stdin().lines().map(Result::unwrap) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [rows, cols, kind, mines] = [0, 1, 2, 3].map(|at| words[at].parse::<i32>().unwrap());
        let holes: Vec<u8> = words[4].bytes().map(|cell| (cell == b'-') as u8).collect();
        let clue_of = |cell| match cell { b'#' => -1, b'-' => 0, digit => digit as i8 - 48 };
        let cells: Vec<i8> = words[4].bytes().map(clue_of).collect();
        let (mut known, mut parts, mut chances) = (vec![0; cells.len()], vec![0; cells.len()], vec![0.0; cells.len()]);
        let (mut log, mut hint) = (0.0, [0; 4]); // tier, smallest, cell, mine
        let grid = unsafe { mines_grid_new(rows, cols, kind, holes.as_ptr()) };
        let result = unsafe {
            [mines_set_view(kernel, grid, mines, cells.as_ptr()),
             mines_closure(kernel, known.as_mut_ptr()),
             mines_probabilities(kernel, null(), chances.as_mut_ptr(), &mut log),
             mines_find_hint(kernel, null(), &mut hint, parts.as_mut_ptr())]
                .into_iter().find(|&one| one != 0)
        };
        unsafe { mines_grid_free(grid) };
        if let Some(error) = result.filter(|&one| one != 3) { // 3: there is no hint
            println!("{}", unsafe { CStr::from_ptr(mines_error(error)) }.to_str().unwrap());
            continue;
        }
        let hidden = chances.iter().filter(|chance| !chance.is_nan()).map(|chance| format!(" {chance:.12}"));
        let shown = if hint[0] > 0 { digits(&parts) } else { String::new() };
        println!("{} {log:.12} {} {shown}{}", digits(&known), hint[0], hidden.collect::<String>());
    }
    unsafe { mines_free(kernel) };
}
