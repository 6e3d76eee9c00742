/**
 * Builds every package with `tsc --build`: JavaScript, declarations and source maps go to dist/. What
 * did not change is not built again. Each package's tsconfig.build.json extends the root's and names
 * the packages that it depends on.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Package, publishedPackages, ROOT } from "./lib/packages.ts";

const started = performance.now();
const packages = publishedPackages().filter(({ path }) => existsSync(join(path, "tsconfig.build.json")));
for (const item of packages) removeStale(item);
const configs = packages.map(({ dir }) => `${dir}/tsconfig.build.json`);
const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "--build", ...configs], { cwd: ROOT, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
for (const item of packages) linkBins(item);
console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);

/**
 * Removes outputs whose source is gone (tsc leaves them, and they would still be imported and published),
 * and tsc's record of what it built where an output is gone, since tsc believes the record.
 */
function removeStale({ path }: Package): void {
  const dist = join(path, "dist");
  for (const output of globSync("**/*.{js,d.ts,js.map,d.ts.map}", { cwd: dist })) {
    const source = output.replace(/\.(d\.ts|js)(\.map)?$/, ".ts");
    if (!existsSync(join(path, "src", source))) rmSync(join(dist, output));
  }
  const sources = globSync("**/*.ts", { cwd: join(path, "src"), exclude: ["**/*.test.ts", "**/*.d.ts"] });
  const complete = sources.every((source) => existsSync(join(dist, source.replace(/\.ts$/, ".js"))));
  if (!complete) rmSync(join(path, ".tsbuildinfo"), { force: true });
}

/** npm links a workspace's commands only when their files exist at install time; files added later are linked here. */
function linkBins({ path, manifest }: Package): void {
  const folder = join(ROOT, "node_modules/.bin");
  for (const [name, file] of Object.entries(manifest.bin ?? {})) {
    const target = join(path, file);
    if (!existsSync(target)) continue;
    if ((statSync(target).mode & 0o111) !== 0o111) chmodSync(target, 0o755);
    const link = join(folder, basename(name));
    if (process.platform === "win32" || lstatSync(link, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join("..", manifest.name, file), link);
  }
}
