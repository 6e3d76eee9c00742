/// <reference path="./peer-module.d.ts" />
import { Workspace } from "@cloudflare/computer";
import { benchObject, handlers } from "./object.ts";

/** The peer's workspace in a Durable Object. */
export const BenchObject = benchObject((storage) => new Workspace({ storage }).fs);

// biome-ignore lint/style/noDefaultExport: it is how a Worker exports its handlers
export default handlers;
