import assert from "node:assert/strict";
import { type BackendCase, sh } from "../../framework/test/contracts/backend/context.ts";

/** A script, and all that it says. */
interface NameCase {
  readonly name: string;
  readonly script: string;
  readonly stdout: string;
  readonly stderr?: string;
}

const cases: readonly NameCase[] = [
  {
    name: "rm removes links themselves: to nothing, to themselves, to a folder",
    script: `mkdir D; echo kept > D/f; ln -s nowhere a; ln -s b b; ln -s D c; ln -s D d
rm a b c; rm -rf d; ls -F; cat D/f`,
    stdout: "D/\nkept\n",
  },
  {
    name: "rm with a slash at the end of a link leaves what it leads to",
    script: "mkdir D; echo kept > D/f; ln -s D l; rm -rf l/; rm l/; cat D/f; ls -F",
    stdout: "kept\nD/\nl@\n",
    stderr: "rm: cannot remove 'l/': Not a directory\n".repeat(2),
  },
  {
    name: "rm of a tree leaves what links in it lead to",
    script: "mkdir D t; echo kept > D/f; ln -s ../D t/in; rm -r t; cat D/f; ls",
    stdout: "kept\nD\n",
  },
  {
    name: "rm refuses what it must not remove, and says so",
    script: "mkdir D; cd D; rm -rf / . .. ../D/.; cd ..; rm D; rm; rm -z; rm nope; rm -f nope D/x; rm -f; ls",
    stdout: "D\n",
    stderr: [
      "rm: it is dangerous to operate recursively on '/'",
      "rm: refusing to remove '.' or '..' directory: skipping '.'",
      "rm: refusing to remove '.' or '..' directory: skipping '..'",
      "rm: refusing to remove '.' or '..' directory: skipping '../D/.'",
      "rm: cannot remove 'D': Is a directory",
      "rm: missing operand",
      "rm: invalid option -- 'z'",
      "rm: cannot remove 'nope': No such file or directory",
      "",
    ].join("\n"),
  },
  {
    name: "rm takes odd names after --, and goes on after what it cannot remove",
    script: "touch -- -z 'a b'; mkdir D; rm -v -- -z D 'a b'; ls",
    stdout: "removed '-z'\nremoved 'a b'\nD\n",
    stderr: "rm: cannot remove 'D': Is a directory\n",
  },
  {
    name: "rmdir removes what is empty, and nothing else",
    script:
      "mkdir -p a/b/c D; touch D/f; ln -s a l; rmdir -p a/b/c; rmdir D; rmdir D/f; rmdir l; rmdir nope; ls",
    stdout: "D\nl\n",
    stderr: [
      "rmdir: failed to remove 'D': Directory not empty",
      "rmdir: failed to remove 'D/f': Not a directory",
      "rmdir: failed to remove 'l': Not a directory",
      "rmdir: failed to remove 'nope': No such file or directory",
      "",
    ].join("\n"),
  },
  {
    name: "unlink removes one name, which is no folder",
    script: "ln -s nowhere l; mkdir D; unlink l; unlink D; unlink; unlink a b; ls",
    stdout: "D\n",
    stderr: "unlink: cannot unlink 'D': Is a directory\nunlink: missing operand\nunlink: extra operand 'b'\n",
  },
  {
    name: "mv moves links themselves, and into folders by what a name leads to",
    script: `mkdir D; ln -s nowhere a; mv a b; readlink b; ln -s D l; mv b l; ls D; mv l m; readlink m
echo x > f; mv f m/; ls D; mkdir t; mv -t t D/f D/b; ls t`,
    stdout: "nowhere\nb\nD\nb\nf\nb\nf\n",
  },
  {
    name: "mv does not clobber when told so, nor move a folder into itself",
    script: `echo 1 > a; echo 2 > b; mv -n a b; cat b; mkdir t; mv t t; mv t t/x; mv nope t; mv a; mv a b c
mv a nope/; mv a a; mv -T b a; cat a`,
    stdout: "2\n2\n",
    stderr: [
      "mv: cannot move 't' to a subdirectory of itself, 't/t'",
      "mv: cannot move 't' to a subdirectory of itself, 't/x'",
      "mv: cannot stat 'nope': No such file or directory",
      "mv: missing destination file operand after 'a'",
      "mv: target 'c': Not a directory",
      "mv: cannot move 'a' to 'nope/': Not a directory",
      "mv: 'a' and 'a' are the same file",
      "",
    ].join("\n"),
  },
  {
    name: "ln -sfn exchanges a link, wherever it led; ln -s goes into the folder that a name leads to",
    script: `mkdir v1 v2; ln -s v1 current; ln -sfn v2 current; readlink current; ln -sfn none current
ln -sf gone current; readlink current; ln -sfn v1 current; ln -s x current; readlink v1/x; ln -s y current/z; ls v1`,
    stdout: "v2\ngone\nx\nx\nz\n",
  },
  {
    name: "ln makes hard links, and says what cannot be",
    script: `mkdir D; echo 1 > a; ln a b; echo 2 >> b; cat a; ln D e; ln nope e; ln a b; ln -f a b; ln -s x b; ln -r -s a q
ln a /dev/null; ls`,
    stdout: "1\n2\nD\na\nb\n",
    stderr: [
      "ln: D: hard link not allowed for directory",
      "ln: failed to access 'nope': No such file or directory",
      "ln: failed to create hard link 'b': File exists",
      "ln: failed to create symbolic link 'b': File exists",
      "ln: relative links by -r are not there; write the relative target",
      "ln: failed to create hard link '/dev/null': File exists",
      "",
    ].join("\n"),
  },
];

/** What commands on names must do that the interpreter's own do not: take a link for what it is. */
export const nameCases: readonly BackendCase[] = cases.map(({ name, script, stdout, stderr = "" }) => ({
  name,
  async run(context) {
    const result = await sh(context, script);
    assert.deepEqual({ stdout: result.stdout, stderr: result.stderr }, { stdout, stderr });
  },
}));
