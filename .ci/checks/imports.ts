import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import { ts } from "ts-morph";
import { projectFiles } from "../lib/files.ts";
import { type Package, publishedPackages, ROOT } from "../lib/packages.ts";
import type { Findings } from "../lib/steps.ts";

/** Dependencies point one way: which of our packages each may import. */
const MAY_IMPORT: Record<string, string[]> = {
  "@computer/framework": [],
  "@computer/runtime-adapters": ["@computer/framework"],
  "@computer/computerd": ["@computer/framework"],
  "@computer/codegen": ["@computer/framework", "@computer/runtime-adapters"],
  "create-computer": [],
};

/** What sources may import: declared packages, no other folder's files, no tests, and never in a circle. */
export async function checkImports(): Promise<Findings> {
  const problems: string[] = [];
  const graph = new Map<string, string[]>();
  const packages = publishedPackages();
  const ours = new Set(packages.map(({ manifest }) => manifest.name));
  for (const item of packages) {
    const allowed = MAY_IMPORT[item.manifest.name];
    if (allowed === undefined) problems.push(`${item.manifest.name} is not in .ci/checks/imports.ts`);
    for (const name of Object.keys(item.manifest.dependencies ?? {})) {
      if (ours.has(name) && !allowed?.includes(name))
        problems.push(`${item.dir}/package.json depends on ${name}`);
    }
  }

  for (const file of projectFiles().filter((name) => /\.(ts|mts|mjs|js)$/.test(name))) {
    const item = packages.find(({ dir }) => file.startsWith(`${dir}/src/`));
    const local: string[] = [];
    for (const specifier of importsOf(readFileSync(join(ROOT, file), "utf8"))) {
      if (specifier.startsWith(".")) {
        const target = posix.join(posix.dirname(file), specifier);
        local.push(target);
        if (item !== undefined)
          problems.push(...localProblems(file, target, item).map((text) => `${file}: ${text}`));
      } else if (item !== undefined && !/\.(test|d)\.ts$/.test(file)) {
        problems.push(...packageProblems(specifier, item).map((text) => `${file}: ${text}`));
      }
    }
    graph.set(file, local);
  }
  problems.push(...circles(graph).map((files) => `circle: ${files.join(" -> ")} -> ${files[0]}`));
  return { problems: [...new Set(problems)] };
}

/** All that a file imports or re-exports, types included. */
function importsOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map((found) => found.fileName);
}

function localProblems(file: string, target: string, { dir }: Package): string[] {
  const test = /\.test\.ts$/.test(file);
  const problems: string[] = [];
  if (!test && !target.startsWith(`${dir}/src/`))
    problems.push(`imports ${target}, outside of its src folder`);
  if (!test && /\.test\.ts$/.test(target)) problems.push(`imports the test ${target}`);
  if (!existsSync(join(ROOT, target))) problems.push(`imports ${target}, which does not exist`);
  return problems;
}

function packageProblems(specifier: string, { manifest }: Package): string[] {
  if (/^(node|cloudflare|workerd|#)/.test(specifier) || specifier === "") return [];
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (builtinModules.includes(name)) return [`imports ${specifier} without node:`];
  if (name === manifest.name) return [`imports its own package ${name}`];
  const declared = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  };
  return name in declared ? [] : [`imports ${name}, which ${manifest.name} does not declare`];
}

/** For each knot of a graph (files that all reach each other) the shortest circle in it. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  return components(graph).map((component) => {
    const ways = component.map((start) => wayBack(start, graph)).filter((way) => way.length > 0);
    return ways.reduce((best, way) => (way.length < best.length ? way : best));
  });
}

/** The shortest way from a node back to itself, without the return; empty when there is none. */
function wayBack(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) {
        const way = [node];
        while (way[0] !== start) way.unshift(cameFrom.get(way[0] as string) as string);
        return way;
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return [];
}

/** The strongly connected components that hold a circle, by Tarjan. */
function components(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) as number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      low.set(node, Math.min(low.get(node) as number, low.get(next) as number));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1 || graph.get(node)?.includes(node)) found.push(component);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}
