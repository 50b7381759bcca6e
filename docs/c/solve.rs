// Solve positions from standard input, as solve.c does: a line is ROWS COLS KIND MINES CELLS.
// rustc --edition 2021 -L FOLDER docs/c/solve.rs
use std::{ffi::CStr, io, os::raw::c_char, process::exit, ptr::null};

#[link(name = "minesweeper")]
extern "C" {
    fn mines_new() -> *mut u8;
    fn mines_free(kernel: *mut u8) -> i32;
    fn mines_error(result: i32) -> *const c_char;
    fn mines_message(kernel: *const u8) -> *const c_char;
    fn mines_grid_new(rows: i32, cols: i32, kind: i32, holes: *const u8) -> *mut u8;
    fn mines_grid_free(grid: *mut u8);
    fn mines_set_view(kernel: *mut u8, grid: *const u8, mines: i32, cells: *const i8) -> i32;
    fn mines_closure(kernel: *mut u8, known: *mut u8) -> i32;
    fn mines_probabilities(kernel: *mut u8, given: *const u8, chances: *mut f64, log: *mut f64) -> i32;
    fn mines_find_hint(kernel: *mut u8, given: *const u8, hint: *mut [i32; 4], parts: *mut u8) -> i32;
}

// Read a line: the four numbers and the cells.
fn read(line: &str) -> Option<([i32; 4], &str)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.get(..4)?.iter().map(|word| word.parse().ok()).collect::<Option<Vec<i32>>>()?;
    let cells = words.get(4).filter(|cells| cells.chars().all(|cell| "#-012345678".contains(cell)))?;
    let numbers: [i32; 4] = numbers.try_into().ok()?;
    let size = numbers[0].checked_mul(numbers[1])?;
    (words.len() == 5 && cells.len() as i32 == size && numbers[0] > 0).then_some((numbers, cells))
}

fn wrong(why: &str) -> ! {
    eprintln!("{why}; expected lines ROWS COLS KIND MINES CELLS, such as 2 5 0 2 #121######");
    exit(2)
}

fn main() {
    let digits = |marks: &[u8]| marks.iter().map(u8::to_string).collect::<String>();
    let kernel = unsafe { mines_new() };
    for line in io::stdin().lines().map(Result::unwrap) {
        let ([rows, cols, kind, mines], shown) = read(&line).unwrap_or_else(|| wrong("invalid line"));
        let holes: Vec<u8> = shown.bytes().map(|cell| (cell == b'-') as u8).collect();
        let clue_of = |cell| match cell { b'#' => -1, b'-' => 0, digit => digit as i8 - 48 };
        let cells: Vec<i8> = shown.bytes().map(clue_of).collect();
        let (mut known, mut parts, mut chances) = (vec![0; cells.len()], vec![0; cells.len()], vec![0.0; cells.len()]);
        let (mut log, mut hint) = (0.0, [0; 4]); // tier, smallest, cell, mine
        let grid = unsafe { mines_grid_new(rows, cols, kind, holes.as_ptr()) };
        if grid.is_null() {
            wrong("no such grid");
        }
        let result = unsafe {
            [mines_set_view(kernel, grid, mines, cells.as_ptr()),
             mines_closure(kernel, known.as_mut_ptr()),
             mines_probabilities(kernel, null(), chances.as_mut_ptr(), &mut log),
             mines_find_hint(kernel, null(), &mut hint, parts.as_mut_ptr())]
                .into_iter().find(|&one| one != 0)
        };
        unsafe { mines_grid_free(grid) };
        if let Some(error) = result.filter(|&one| one != 3) { // 3: there is no hint
            let text = |letters| unsafe { CStr::from_ptr(letters) }.to_str().unwrap();
            if error == 5 { // an argument is out of range
                wrong(text(unsafe { mines_message(kernel) }));
            }
            println!("{}", text(unsafe { mines_error(error) }));
            continue;
        }
        let hidden = chances.iter().filter(|chance| !chance.is_nan()).map(|chance| format!(" {chance:.12}"));
        let shown = if hint[0] > 0 { digits(&parts) } else { String::new() };
        println!("{} {log:.12} {} {shown}{}", digits(&known), hint[0], hidden.collect::<String>());
    }
    unsafe { mines_free(kernel) };
}
