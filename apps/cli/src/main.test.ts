import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { freePort, tempFolder } from '@chandlery/testing';
import { commands } from './commands/index.ts';
import { runCli } from './test-cli.ts';

describe('help', () => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    test(`by "${args.join(' ')}" names every noun with its verbs`, async () => {
      const { code, stdout, stderr } = await runCli(args);
      assert.deepEqual([code, stderr], [0, '']);
      const text = stdout.replace(/\s+/g, ' ');
      for (const { name, summary, isHidden = false } of commands) {
        const [verb = '', ...noun] = name.split(' ').toReversed();
        const row = noun.length === 0 ? ` ${name} ${summary}.` : ` ${noun.toReversed().join(' ')} `;
        assert.equal(text.includes(row) && text.includes(verb), !isHidden, name);
      }
      assert.match(stdout, /^ {2}broker +list, get, register, update, delete$/m);
    });
  }

  test('of several commands names them', async () => {
    const { stdout } = await runCli(['help', 'cluster']);
    assert.match(stdout, /cluster list[\s\S]*cluster create[\s\S]*cluster delete/);
    assert.equal((await runCli(['clusters', '--help'])).stdout, stdout);
    const instances = await runCli(['fleet', 'instances', '--help']);
    assert.match(instances.stdout, /fleet instance list[\s\S]*fleet instance delete/);
    assert.doesNotMatch(instances.stdout, /fleet cluster/);
    assert.match((await runCli(['help', 'fleet'])).stdout, /fleet configure[\s\S]*fleet cluster list/);
    assert.match((await runCli(['help', 'plan'])).stdout, /See also: plan list$/m);
  });

  test('of up has every option of the server', async () => {
    const { stdout } = await runCli(['up', '--help']);
    for (const flag of ['--data-dir', '--port', '--database', 'CHANDLERY_LOG_LEVEL']) assert.ok(stdout.includes(flag));
  });
});

describe('the version', () => {
  test('is one line', async () => {
    assert.match((await runCli(['version'])).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.deepEqual(await runCli(['--version']), await runCli(['version']));
    assert.deepEqual(await runCli(['-v']), await runCli(['version']));
  });

  test('may be JSON', async () => {
    const { stdout } = await runCli(['version', '-o=json']);
    assert.equal((JSON.parse(stdout) as { node: string }).node, process.version);
  });
});

describe('a wrong command line', () => {
  const cases: readonly { args: readonly string[]; why: RegExp }[] = [
    { args: ['statsu'], why: /no command "statsu"; did you mean "status"\?/ },
    { args: ['xyzzyx'], why: /no command "xyzzyx"$/m },
    { args: ['clusters'], why: /say what to do with cluster: list, create, delete/ },
    { args: ['clusters', 'crate', 'x'], why: /no command "cluster crate"; did you mean "cluster create"\?/ },
    {
      args: ['fleet'],
      why: /say what to do with fleet: configure, token, instance, explain, quota, cluster, rollout$/m,
    },
    { args: ['fleet', 'instances'], why: /say what to do with fleet instance: list, create, describe, delete$/m },
    { args: ['fleet', 'rollout', 'stop'], why: /no command "fleet rollout stop"/ },
    {
      args: ['fleet', 'instances', 'lst'],
      why: /no command "fleet instance lst"; did you mean "fleet instance list"\?/,
    },
    { args: ['help', 'bakup'], why: /did you mean "backup"\?/ },
    { args: ['clusters', 'create'], why: /NAME is missing/ },
    { args: ['clusters', 'create', 'a', 'b'], why: /unexpected argument "b"/ },
    { args: ['clusters', 'delete', 'a', '--forse'], why: /unknown flag "--forse"; did you mean "--force"\?/ },
    { args: ['clusters', 'delete', 'a', '--wait=maybe'], why: /--wait must be true or false/ },
    {
      args: ['clusters', 'delete', 'a', '--timeout', 'soon'],
      why: /--timeout must be a time, such as 90s, 5m or 1h, not "soon"/,
    },
    { args: ['clusters', 'create', 'a', '--display-name'], why: /--display-name needs a value/ },
    { args: ['clusters', 'create', 'a', '--display-name', '--wait'], why: /--display-name needs a value/ },
    {
      args: ['clusters', 'list', '-o', 'xml'],
      why: /--output must be one of table, wide, json, yaml, name, jsonl, not "xml"/,
    },
    { args: ['clusters', 'list', '-o', 'jso'], why: /, not "jso"; did you mean "json"\?/ },
    { args: ['kubeconfig', '-o', 'table'], why: /--output must be one of yaml, json/ },
    { args: ['list', 'brokers'], why: /no command "list"; did you mean "broker list"\?/ },
    { args: ['broker', 'remove', 'pg'], why: /no command "broker remove"; did you mean "broker delete"\?/ },
    { args: ['instances'], why: /say what to do with instance: list, get, create, update, delete, / },
    { args: ['cluster', 'delete', 'a', '-o', 'json'], why: /unknown flag "-o"/ },
    { args: ['cluster', 'list', '--color', 'blue'], why: /--color must be auto, always or never, not "blue"/ },
    { args: ['apply', '-f', 'x', '--dry-run=client'], why: /--dry-run must be true or server or false/ },
    { args: ['up', '--prot', '1'], why: /did you mean "--port"\?/ },
    { args: ['up', '--port', 'x'], why: /--port must be a whole number from 0 to 65535, not "x"/ },
    { args: ['-V'], why: /unknown flag "-V"/ },
    { args: ['--versoin'], why: /unknown flag "--versoin"; did you mean "--version"\?/ },
    { args: ['-o', 'json'], why: /the command is missing/ },
  ];
  for (const { args, why } of cases) {
    test(`"${args.join(' ')}" ends with 2 and three lines`, async () => {
      const { code, stdout, stderr } = await runCli(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^Error: cannot .+\nWhy: {3}.+\nNext: {2}.+\nCode: {2}\w+\n$/);
      assert.match(stderr, why);
    });
  }
});

describe('without a landscape', () => {
  const commandLines = [
    ['status'],
    ['clusters', 'list'],
    ['clusters', 'create', 'a'],
    ['clusters', 'delete', 'a'],
    ['backup', 'f'],
    ['kubeconfig'],
  ];

  for (const args of commandLines) {
    test(`${args.join(' ')} says how to start one`, async () => {
      await using folder = await tempFolder();
      const { code, stderr } = await runCli(args, { cwd: folder.path });
      assert.equal(code, 1);
      assert.match(stderr, /admin\.kubeconfig: it does not exist\nNext: {2}Start a landscape with "npm start"/);
    });
  }

  test('that listens, status says that it is not running', async () => {
    await using folder = await tempFolder();
    await mkdir(folder.join('elsewhere'));
    const server = `https://127.0.0.1:${await freePort()}/clusters/onboarding`;
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server } }],
    };
    await writeFile(folder.join('elsewhere/admin.kubeconfig'), JSON.stringify(kubeconfig));
    const env = { CHANDLERY_DATA_DIR: 'elsewhere' };
    const { code, stdout, stderr } = await runCli(['status'], { cwd: folder.path, env });
    assert.equal(code, 1);
    assert.match(stdout, /^Landscape: +not running$/m);
    assert.match(stdout, /^server +failed +cannot talk to .*no server listens there$/m);
    assert.match(stdout, /^disk +ok +.* free at .*elsewhere$/m);
    assert.match(stderr, /the landscape is not running: .*no server listens there/);
    const json = (await runCli(['status', '-o', 'json'], { cwd: folder.path, env })).stdout;
    assert.equal((JSON.parse(json) as { isReady: boolean }).isReady, false);
  });

  test('the demo has a landscape of its own, and rejects flags that name another', async () => {
    const { code, stdout, stderr } = await runCli(['demo', '--data-dir', 'mine']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /--data-dir means nothing here/);
  });

  test('restore refuses a missing file and a folder that holds something', async () => {
    await using folder = await tempFolder();
    const missing = await runCli(['restore', 'none'], { cwd: folder.path });
    assert.match(missing.stderr, /none does not exist/);
    await writeFile(folder.join('file'), 'no backup');
    const full = await runCli(['restore', 'file', '--data-dir', '.'], { cwd: folder.path });
    assert.deepEqual([missing.code, full.code], [1, 1]);
    assert.match(full.stderr, /is not empty/);
    const wrong = await runCli(['restore', 'file', '--data-dir', 'new'], { cwd: folder.path });
    assert.match(wrong.stderr, /not a Chandlery backup/);
  });
});

describe('colours', () => {
  const coloured = (text: string): boolean => text.includes('\u001b[');
  test('are for terminals that want them', async () => {
    assert.equal(coloured((await runCli(['nonsense'], { isTTY: true })).stderr), true);
    assert.equal(coloured((await runCli(['nonsense'])).stderr), false);
    assert.equal(coloured((await runCli(['nonsense'], { isTTY: true, env: { NO_COLOR: '1' } })).stderr), false);
    assert.equal(coloured((await runCli(['nonsense'], { isTTY: true, env: { TERM: 'dumb' } })).stderr), false);
    assert.equal(coloured((await runCli(['nonsense'], { env: { FORCE_COLOR: '1' } })).stderr), true);
  });
});
