import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";
import { Failure } from "./failure.ts";

test("reads a folder and options; what is not said stays open", () => {
  expect(readArguments(["my-agent", "--yes"])).toEqual({
    target: "my-agent",
    yes: true,
    install: undefined,
    git: undefined,
    help: false,
    version: false,
  });
  expect(readArguments(["-y", "--no-install", "--no-git"])).toMatchObject({
    yes: true,
    install: false,
    git: false,
  });
});

test.each([[["--nonsense"]], [["a", "b"]], [["--yes=maybe"]]])("%j makes no sense: exit code 2", (argv) => {
  let failure: unknown;
  try {
    readArguments(argv);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(Failure);
  expect((failure as Failure).exitCode).toBe(2);
});
