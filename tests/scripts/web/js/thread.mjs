// A worker of the browser in a thread of Node: it starts the page's worker.js.
import { parentPort, workerData } from "node:worker_threads";

globalThis.self = { postMessage: (data) => parentPort.postMessage(data) };
await import(workerData);
parentPort.on("message", (data) => self.onmessage({ data }));
