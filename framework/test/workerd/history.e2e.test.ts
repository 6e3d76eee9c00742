import { historyCases } from "../contracts/history.ts";
import { testInWorkerd } from "./harness.ts";

testInWorkerd(
  { entry: new URL("./history-worker.ts", import.meta.url).pathname, objects: ["HistoryObject"] },
  historyCases.map(({ name }) => name),
);
