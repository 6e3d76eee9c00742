import { defineCommand } from "just-bash/browser";

/** How much `yes` says: a pipe here is filled before it is read, so it cannot go on until nobody listens. */
const YES_CHARACTERS = 512 * 1024;

export const yes = defineCommand("yes", async (args) => {
  const line = `${args.length === 0 ? "y" : args.join(" ")}\n`;
  return { stdout: line.repeat(Math.ceil(YES_CHARACTERS / line.length)), stderr: "", exitCode: 0 };
});
