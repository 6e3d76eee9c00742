export { check } from "./check.ts";
export type { CheckOptions, CheckReport, Problem, ProblemCode } from "./types.ts";
