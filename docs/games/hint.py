"""Find the easiest deduction: the cells that follow, and the clues that show why."""

import minesweeper as ms

view = ms.View.from_text("2x5/2\n#121#\n#####")
step = ms.analyse(view).step
if step:
    for row in range(view.rows):
        cells = [(row, col) for col in range(view.cols)]
        print(
            "".join(
                "s" if cell in step.safe else "m" if cell in step.mines else ".*"[cell in step.clues] for cell in cells
            )
        )
    print(step.in_words("en"))
