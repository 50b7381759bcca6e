// Answer questions about positions, as the worker of the page does: JSON lines from stdin to stdout.
import { createInterface } from "node:readline";

import { advise } from "../../../scripts/web/static/js/advice.js";
import { useKernel } from "../../../scripts/web/static/js/core/kernel.js";

await useKernel();

for await (const line of createInterface({ input: process.stdin })) {
  const { question, position, more } = JSON.parse(line);
  let answer;
  try {
    answer = await advise(question, position, more);
  } catch (error) {
    answer = { error: error.message, kind: error.constructor.name };
  }
  console.log(JSON.stringify(answer));
}
