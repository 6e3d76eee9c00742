/** What a model should know before it chooses the shell. */
export const DESCRIPTION = [
  "A bash interpreter over the workspace's files; starts in milliseconds, needs no container.",
  "Has bash syntax (pipes, redirections, loops, functions, arrays, here-documents, globs, $(...)) and the",
  "usual text tools: cat, ls, cp, mv, rm, mkdir, find, grep, rg, sed, awk, sort, uniq, cut, tr, head, tail, wc,",
  "diff, xargs, jq, yq, gzip, base64, sha256sum, date, seq, tee and others; `help` lists them.",
  "Has no network, no other programs (no node, python, git, compilers, package managers), no background jobs",
  "(`cmd &` runs to its end), no signals and no trap. A pipeline's commands run one after the other.",
  "Files above 16 MiB cannot be read. For anything beyond this choose a container, if there is one.",
].join("\n");
