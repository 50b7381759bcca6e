// A player that makes every move with the solver of JSMinesweeper (github.com/DavidNHill/JSMinesweeper), with the settings
// of its bulk runs. Protocol: docs/reference/protocol.md. The argument is the folder of a clone, which is only read:
//
//     autoplay --strategy "exec,start=60,move=60:node docs/examples/players/jsminesweeper.js ../JSMinesweeper" --preset expert
"use strict";

const fs = require("fs");
const path = require("path");
const readline = require("readline");
const vm = require("vm");

const FILES = [
    "Utility/PrimeSieve.js", "Utility/Binomial.js", "client/Board.js", "client/Tile.js", "client/solver_main.js",
    "client/solver_probability_engine.js", "client/Brute_force.js", "client/BruteForceAnalysis.js",
    "client/MinesweeperGame.js", "client/SolutionCounter.js", "client/EfficiencyHelper.js",
    "client/FiftyFiftyHelper.js", "client/LongTermRiskHelper.js",
];

// The environment that its page provides. Messages are dropped, because stdout is for answers.
const quiet = () => {};
const page = {
    console: { log: quiet, warn: quiet, error: console.error },
    showMessage: quiet, sleep: async () => {}, window: {}, setTimeout, performance,
    analysisMode: false, BOMB: 9, HIDDEN: 10, BigInt, Math,
};
const context = vm.createContext(page);
const folder = path.join(process.argv[2] || ".", "Minesweeper");
for (const file of FILES) {
    vm.runInContext(fs.readFileSync(path.join(folder, file), "utf8"), context, { filename: file });
}
vm.runInContext(`
    if (typeof Compressor === "undefined") globalThis.Compressor = class {};
    globalThis.binomialCache = new BinomialCache(5000, 500, new Binomial(65000, 500));
    globalThis.newBoard = (rows, cols, mines) => new Board(0, cols, rows, mines, "", "safe");
    globalThis.nextMove = async (board) => (await solver(board, {
        playStyle: PLAY_STYLE_NOFLAGS, verbose: false, advancedGuessing: true, fullProbability: true, hardcore: false,
    })).actions.filter((action) => action.action === ACTION_CLEAR);
    solver();
`, context);

let board;

async function choose(view) {
    view.forEach((row, r) => [...row].forEach((symbol, c) => {
        const tile = board.getTileXY(c, r);
        if (symbol !== "#" && tile.isCovered()) tile.setValue(Number(symbol));
    }));
    const actions = await page.nextMove(board);
    const certain = actions.filter((action) => action.prob === 1);
    return (certain.length ? certain : actions.slice(0, 1)).map((action) => [action.y, action.x]);
}

async function play() {
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const message = JSON.parse(line);
        if (message.type === "game") {
            // Some functions read the board of the page instead of their argument.
            page.board = board = page.newBoard(message.rows, message.cols, message.mines);
        } else if (message.type === "hello") {
            console.log(JSON.stringify({ name: "JSMinesweeper", plays: "moves" }));
        } else if (message.type === "move") {
            console.log(JSON.stringify({ open: await choose(message.view) }));
        }
    }
}

play();
