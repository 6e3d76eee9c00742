import { configureGlobal } from "fast-check";
import { testSeed } from "./seed.ts";

/** Runs before every file of tests: properties that name no seed have this one. */
configureGlobal({ seed: testSeed() });
