import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { runProcess, type TempFolder, tempFolder } from '@chandlery/testing';
import { commands } from '../commands/index.ts';
import { resultFormats } from '../output/print-object.ts';
import { runCli } from '../test-cli.ts';
import { complete } from './complete.ts';

const candidates = (...words: string[]): readonly string[] => complete(words, commands).candidates;

describe('completion', () => {
  test('every command can be completed word by word, and its flags', () => {
    for (const { name, options, isHidden = false, hasOwnFlags = false } of commands) {
      if (isHidden) continue;
      const words = name.split(' ');
      words.forEach((word, index) => {
        const offered = candidates(...words.slice(0, index), word.slice(0, 1));
        assert.ok(offered.includes(word), `${name}: ${word}`);
      });
      if (hasOwnFlags) continue;
      const flags = candidates(...words, '--');
      for (const flag of Object.keys(options)) assert.ok(flags.includes(`--${flag}`), `${name} --${flag}`);
    }
  });

  const cases: readonly { words: readonly string[]; offers: unknown }[] = [
    { words: ['get', 'pods', '-o', ''], offers: { candidates: ['table', 'wide', 'json', 'yaml', 'name', 'jsonl'] } },
    { words: ['get', 'pods', '--cluster', ''], offers: { candidates: [], live: { type: 'clusters' } } },
    { words: ['get', ''], offers: { candidates: [], live: { type: 'kinds' } } },
    { words: ['get', 'pod', 'a'], offers: { candidates: [], live: { type: 'names', kind: 'pod', prefix: '' } } },
    { words: ['get', 'pod/a'], offers: { candidates: [], live: { type: 'names', kind: 'pod', prefix: 'pod/' } } },
    { words: ['delete', '-n', 'x', ''], offers: { candidates: [], live: { type: 'kinds' } } },
    { words: ['kubeconfig', ''], offers: { candidates: [], live: { type: 'clusters' } } },
    { words: ['clusters', 'l'], offers: { candidates: ['list'] } },
    { words: ['help', 'project', 'cr'], offers: { candidates: ['create'] } },
    { words: ['completion', ''], offers: { candidates: ['bash', 'fish', 'zsh'] } },
    { words: ['explain', 'error', 'NotRea'], offers: { candidates: ['NotReady'] } },
    { words: ['get', 'pods', '--output', '=', 'j'], offers: { candidates: resultFormats } },
    { words: ['logs', ''], offers: { candidates: [], live: { type: 'names', kind: 'pods', prefix: '' } } },
    { words: ['wait', 'pod/a', '--for', ''], offers: { candidates: ['ready', 'deleted', 'condition=', 'jsonpath='] } },
    { words: ['order', 'create', ''], offers: { candidates: [], live: { type: 'list', command: 'marketplace' } } },
    { words: ['order', 'cancel', ''], offers: { candidates: [], live: { type: 'list', command: 'order list' } } },
    {
      words: ['instance', 'create', 'x', ''],
      offers: { candidates: [], live: { type: 'list', command: 'marketplace' } },
    },
    { words: ['project', 'create', ''], offers: { candidates: [] } },
    {
      words: ['fleet', 'cluster', 'drain', ''],
      offers: { candidates: [], live: { type: 'list', command: 'fleet cluster list' } },
    },
    { words: ['provider', 'logs', ''], offers: { candidates: [], live: { type: 'list', command: 'provider list' } } },
    { words: ['provider', 'install', ''], offers: { candidates: [] } },
  ];
  for (const { words, offers } of cases)
    test(`of "${words.join(' ')}"`, () => assert.deepEqual(complete(words, commands), offers));

  test('an unknown shell is a mistake', async () => {
    const { code, stderr } = await runCli(['completion', 'tcsh']);
    assert.equal(code, 2);
    assert.match(stderr, /bash, zsh, fish, not "tcsh"/);
  });
});

describe('completion with a landscape', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const offered = async (...words: string[]): Promise<string[]> => {
    const { stdout } = await runCli(['__complete', '--', ...words], { cwd: folder.path });
    return stdout.trim().split('\n');
  };

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('names come from the landscape', async () => {
    assert.deepEqual(await offered('kubeconfig', 'onb'), ['onboarding']);
    assert.ok((await offered('get', 'proj', '--cluster', 'onboarding', 'x')).length > 0);
    assert.ok((await offered('get', '--cluster', 'onboarding', 'proj')).includes('projects'));
    assert.deepEqual(await offered('get', '--cluster', 'platform', 'logicalclusters', 'plat'), ['platform']);
    assert.deepEqual(await offered('get', '--cluster', 'platform', 'logicalcluster/onb'), [
      'logicalcluster/onboarding',
    ]);
    assert.deepEqual(await offered('get', 'cm', '--context', 'onb'), ['onboarding']);
    await runCli(['platform', 'register', 'europe', 'kubernetes'], { cwd: folder.path });
    assert.deepEqual(await offered('platform', 'get', 'eu'), ['europe']);
    assert.deepEqual(await offered('update-platform', 'eu'), ['europe']);
    assert.deepEqual(await offered('get', '--data-dir', 'nowhere', 'lo'), ['']);
    assert.deepEqual(await offered('order', 'create', 'dino'), ['dinosaurs']);
    assert.deepEqual(await offered('order', 'create', 'dinosaurs', '--plan=eval'), ['--plan=eval.x1']);
    for (const name of ['acme', 'beta']) await runCli(['project', 'create', name, '--wait'], { cwd: folder.path });
    await runCli(['workspace', 'create', 'dev', '--project', 'acme'], { cwd: folder.path });
    assert.deepEqual(await offered('workspace', 'get', '--project', ''), ['acme', 'beta']);
    assert.deepEqual(await offered('workspace', 'get', '--project', 'acme', ''), ['dev']);
    assert.deepEqual(await offered('workspace', 'get', '--project', 'beta', ''), ['']);
  });

  test('bash completes with the script that is printed', async () => {
    const script = (await runCli(['completion', 'bash'])).stdout;
    mkdirSync(folder.join('bin'));
    const program = `#!/bin/sh\n[ "$*" = "__complete -- clusters l" ] && echo list\n`;
    writeFileSync(folder.join('bin/chandlery'), program, { mode: 0o755 });
    writeFileSync(
      folder.join('try.sh'),
      `${script}\nCOMP_WORDS=(chandlery clusters l) COMP_CWORD=2\n_chandlery\necho "got \${COMPREPLY[*]}"\n`,
    );
    const { stdout } = await runProcess('bash', [folder.join('try.sh')], {
      env: { PATH: `${folder.join('bin')}:${process.env.PATH ?? ''}` },
    });
    assert.equal(stdout, 'got list\n');
  });
});
