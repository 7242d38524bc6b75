import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTranscript, parseTranscript, type TranscriptPart } from './transcript-format.ts';

const story = `# A story.

$ echo one
one

$ cat <<EOF
> first

> second
\\# not a comment
[exit 3]
# The end.
$ true
`;

test('a story is comments, commands, outputs and exit codes', () => {
  const steps = parseTranscript(story).flatMap(part => (part.type === 'step' ? [part.step] : []));
  assert.deepEqual(steps, [
    { line: 3, command: 'echo one', expected: ['one'], exitCode: 0 },
    { line: 6, command: 'cat <<EOF\nfirst', expected: ['', '> second', '# not a comment'], exitCode: 3 },
    { line: 13, command: 'true', expected: [], exitCode: 0 },
  ]);
});

test('a story without changes is written as it was read', () => {
  const tidy = story.replace('\n> second\n', '\n\\> second\n');
  assert.equal(formatTranscript(parseTranscript(tidy)), tidy);
});

test('whatever a command prints is read back as it was written', () => {
  const outputLine = fc.oneof(
    fc.constantFrom('$ x', '# x', '> x', '>', '#', '\\', '[exit 1]', '...'),
    fc.stringMatching(/^[ -~]{0,5}$/),
  );
  // Trailing blank lines are layout, not output.
  const output = fc.array(outputLine).filter(lines => lines.at(-1) !== '');
  fc.assert(
    fc.property(output, fc.nat(3), fc.nat(2), (expected, exitCode, blankAfter) => {
      const part: TranscriptPart = { type: 'step', blankAfter, step: { line: 1, command: 'a\nb', expected, exitCode } };
      const parts = [part, { type: 'text', line: '# end' } as const];
      assert.deepEqual(parseTranscript(formatTranscript(parts)), parts);
    }),
  );
});
