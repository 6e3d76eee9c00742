import { costCases } from "./history/cost.ts";
import { verbCases } from "./history/verbs.ts";

/** What a workspace's history promises, wherever the workspace is. */
export const historyCases = [...costCases, ...verbCases];
