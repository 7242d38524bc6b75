import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { tempFolder } from './temp-folder.ts';
import { runTranscript, type TranscriptOptions } from './transcript.ts';

async function play(story: string, options: TranscriptOptions = {}): Promise<string> {
  await using folder = await tempFolder();
  const file = folder.join('story.txt');
  await writeFile(file, story);
  await runTranscript(file, { cwd: folder.path, update: false, ...options });
  return await readFile(file, 'utf8');
}

test('a true story passes: both streams in order, exit codes, variables, several lines', async () => {
  const story = `# Words
$ echo out; echo err >&2; exit 3
out
err
[exit 3]
$ echo id-$$
id-<?pid>
$ cat <<EOF
> again <?pid> <?port>
> EOF
again <?pid> 7443
`;
  assert.equal(await play(story, { variables: { port: '7443' } }), story);
});

test('a difference names file, line and command', async () => {
  await assert.rejects(play('# One\n$ echo new\nold\n'), /story\.txt:2: \$ echo new[^]*\+ +'new'[^]*- +'old'/);
});

test('a different exit code is a difference', async () => {
  await assert.rejects(play('$ exit 2\n'), /exit 2/);
});

test('updating rewrites what differs and only that', async () => {
  const before = '# Keep\n$ echo 1 <any>\n1 <any>\n\n$ echo new; exit 4\nold\n\n# Keep too\n';
  const after = '# Keep\n$ echo 1 <any>\n1 <any>\n\n$ echo new; exit 4\nnew\n[exit 4]\n\n# Keep too\n';
  assert.equal(
    await play(before.replaceAll('echo 1 <any>', 'echo 1 2'), { update: true }),
    after.replaceAll('echo 1 <any>', 'echo 1 2'),
  );
});
