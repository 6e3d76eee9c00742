/** What the table says of a kind of problem. */
export interface DiagnosticKind {
  /** In a few words, for lists of codes. */
  readonly title: string;
  /** How to mend it; printed after what was found, unless the finding has better advice. */
  readonly mend: string;
}

/**
 * Every problem that codegen can report. A code is stable: it may be searched for and is never given a
 * new meaning. CMP100x are of the project, 101x of agent classes, 102x of constructors, 103x of tools,
 * 104x of parameters, 105x of types, 106x of deployed classes, 107x of writing.
 */
export const DIAGNOSTICS = {
  CMP1001: {
    title: "No tsconfig.json",
    mend: "Run the command in the project's folder or name it with --project.",
  },
  CMP1002: { title: "The tsconfig.json cannot be used", mend: "Correct it; `tsc -p .` reports the same." },
  CMP1003: {
    title: "@computer/framework is not installed",
    mend: "Run `npm install @computer/framework` in the project.",
  },
  CMP1004: {
    title: "No agent",
    mend: "Mark an exported class with `@Agent()` from @computer/framework, in a file that tsconfig.json includes.",
  },
  CMP1005: {
    title: "TypeScript error in a file of an agent",
    mend: "Correct it; codegen takes types from the source and needs them sound.",
  },
  CMP1006: {
    title: "Null checks are off",
    mend: 'Set `"strict": true` in tsconfig.json: without it TypeScript does not tell optional from required.',
  },
  CMP1007: { title: "The package.json cannot be used", mend: "Correct it." },
  CMP1010: {
    title: "Agent not exported",
    mend: "Write `export` before the class: the generated worker imports it.",
  },
  CMP1011: {
    title: "Abstract agent",
    mend: "Mark the concrete class: codegen constructs the agent.",
  },
  CMP1012: {
    title: "Generic agent",
    mend: "Mark a class that fixes the type arguments: `class NumberBox extends Box<number> {}`.",
  },
  CMP1013: { title: "Agent without a name", mend: "Give the class a name: its storage is found by it." },
  CMP1014: {
    title: "Option of a marker that codegen cannot read",
    mend: "Write the options out as literals: codegen reads the source and does not run it.",
  },
  CMP1015: {
    title: "Bad name of an agent",
    mend: "Use lower-case letters, digits and single hyphens, a letter first: `text-reader`.",
  },
  CMP1016: {
    title: "Two agents of one name",
    mend: "Rename one, or give it a name of its own: `@Agent({ name: ... })`.",
  },
  CMP1017: {
    title: "Two agent classes of one name",
    mend: "Rename one: a class's name is the name of its storage, unique in a worker.",
  },
  CMP1018: {
    title: "Bad authorize method",
    mend: "Write `static authorize(request: Request, env: Env): boolean | Promise<boolean>`, public.",
  },
  CMP1020: {
    title: "Constructor parameter of a type that codegen cannot provide",
    mend: "It provides `Workspace` and `AgentId` of @computer/framework, and `Env`.",
  },
  CMP1021: {
    title: "Constructor that codegen cannot call",
    mend: "Give the class one public constructor.",
  },
  CMP1030: { title: "Tool not public", mend: "Make the method public or take the `@tool` away." },
  CMP1031: {
    title: "Static tool",
    mend: "Take the `static` away: a tool works in the workspace of one instance.",
  },
  CMP1032: { title: "Tool that is not a method", mend: "Write it as a method: `async find(...) { ... }`." },
  CMP1033: {
    title: "Generic tool",
    mend: "Name the types: arguments from outside are checked against them.",
  },
  CMP1034: {
    title: "Overloaded tool",
    mend: "Keep one signature, with optional parameters or unions, or make it two tools.",
  },
  CMP1035: { title: "Bad name of a tool", mend: "Use letters, digits and `_`, a letter first, at most 64." },
  CMP1036: {
    title: "Reserved name of a tool",
    mend: "Rename the method, or give the tool another name: `@tool({ name: ... })`.",
  },
  CMP1037: { title: "Two tools of one name", mend: "Rename one, or give it a name: `@tool({ name: ... })`." },
  CMP1038: {
    title: "Tool outside an agent",
    mend: "Mark the class with `@Agent()`, or let an agent extend it.",
  },
  CMP1040: {
    title: "Destructured parameter",
    mend: "Give it a name and take it apart in the body: callers pass arguments by name.",
  },
  CMP1041: {
    title: "Rest parameter",
    mend: "Take an array instead: `lines: string[]` for `...lines: string[]`.",
  },
  CMP1042: { title: "Reserved name of a parameter or property", mend: "Rename it." },
  CMP1050: {
    title: "Type that cannot cross the boundary",
    mend: "Use primitives, literals, unions, arrays, tuples, records, interfaces, enums, Date and Uint8Array.",
  },
  CMP1051: {
    title: "Union that JSON cannot tell apart",
    mend: 'Use an object with a tag: `{ kind: "date"; value: Date } | { kind: "text"; value: string }`.',
  },
  CMP1052: {
    title: "Type too deep or too large",
    mend: "Simplify it; a type that grows without end has no schema.",
  },
  CMP1060: {
    title: "Agent class vanished",
    mend:
      'Renamed: say `@Agent({ renamedFrom: "..." })` on its successor. Gone for good, with all its data: list its ' +
      'object under "computer": { "deleted": [...] } in package.json. Never deployed: delete generated/manifest.json.',
  },
  CMP1061: {
    title: "Declared as renamed or deleted, but still there",
    mend: "Take the declaration away, or the class.",
  },
  CMP1070: {
    title: "Generated file in the way of another",
    mend: "Move or delete it: codegen overwrites only what it wrote itself.",
  },
  CMP1071: {
    title: "A backend's guest cannot be bundled",
    mend: "Run `npm install` again; if it stays, report it with this message.",
  },
  CMP1072: {
    title: "The output cannot be written",
    mend: "See to it that generated/ can be written to, and run again.",
  },
} as const satisfies Record<string, DiagnosticKind>;

/** The code of a problem that codegen reports. */
export type DiagnosticCode = keyof typeof DIAGNOSTICS;
