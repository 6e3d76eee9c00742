import type { CustomCommand } from "just-bash/browser";
import { ln, mv } from "./place.ts";
import { rm, rmdir, unlink } from "./remove.ts";
import { yes } from "./yes.ts";

/** Commands that the interpreter lacks, or that follow links where they must not. */
export const OUR_COMMANDS: readonly CustomCommand[] & CustomCommand[] = [ln, mv, rm, rmdir, unlink, yes];
