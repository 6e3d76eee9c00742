import type { Case } from "../workerd/cases.ts";
import { contentCases } from "./file-system/content.ts";
import type { TreeContext } from "./file-system/context.ts";
import { durabilityCases } from "./file-system/durability.ts";
import { handleCases } from "./file-system/handles.ts";
import { moreVerbCases } from "./file-system/more-verbs.ts";
import { nameCases } from "./file-system/names.ts";
import { pathCases } from "./file-system/paths.ts";
import { quotaCases } from "./file-system/quotas.ts";
import { searchCases } from "./file-system/search.ts";
import { sqlCases } from "./file-system/sql.ts";
import { streamCases } from "./file-system/streams.ts";
import { verbCases } from "./file-system/verbs.ts";

/**
 * What every home of the tree must do, as cases that need nothing but a {@link TreeContext}: they run on
 * node:sqlite, in memory and in a file, and inside workerd.
 */
export const fileSystemCases: readonly Case<TreeContext>[] = [
  ...verbCases,
  ...moreVerbCases,
  ...handleCases,
  ...quotaCases,
  ...pathCases,
  ...nameCases,
  ...contentCases,
  ...streamCases,
  ...durabilityCases,
  ...sqlCases,
  ...searchCases,
];
