import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseArguments } from './arguments.ts';

describe('The command line of a provider', () => {
  it('is understood as the operator writes it', () => {
    const argv = ['run', '--environment=dev', '--verbosity=DEBUG', '--provider-name=foo', '--leader-elect=true'];
    const args = parseArguments([...argv, '--metrics-bind-address=:8080', '--metrics-secure=false']);
    assert.deepEqual(args, {
      command: 'run',
      environment: 'dev',
      logLevel: 'debug',
      provider: 'foo',
      isLeaderElected: true,
      metricsAddress: ':8080',
      pace: {},
      object: undefined,
      file: undefined,
      output: 'text',
    });
  });

  it('is understood as people write it', () => {
    const args = parseArguments(['plan', '--provider-name', 'foo', '-f', 'foo.yaml', '--leader-elect']);
    assert.equal(args.file, 'foo.yaml');
    assert.equal(args.isLeaderElected, true);
  });

  it('says how fast to work', () => {
    const argv = ['run', '--provider-name=foo', '--max-concurrent-reconciles=3', '--rate-limit=0.5'];
    const { pace } = parseArguments([...argv, '--retry-base-delay=1s', '--retry-max-delay=1m30s']);
    assert.deepEqual(pace, {
      concurrency: 3,
      rateLimit: { perSecond: 0.5, burst: 5 },
      backOff: { baseMs: 1000, maxMs: 90_000 },
    });
  });

  const wrong: readonly { argv: readonly string[]; says: RegExp }[] = [
    { argv: [], says: /no command/ },
    { argv: ['walk', '--provider-name=foo'], says: /no command "walk"/ },
    { argv: ['run'], says: /--provider-name is missing/ },
    { argv: ['run', 'fast', '--provider-name=foo'], says: /unexpected argument "fast"/ },
    { argv: ['run', '--provider-nam=foo'], says: /unknown option --provider-nam/ },
    { argv: ['run', '--provider-name=foo', '--verbosity=LOUD'], says: /LOUD is none of DEBUG, INFO, ERROR/ },
    { argv: ['run', '--provider-name=foo', '--leader-elect=maybe'], says: /neither true nor false/ },
    { argv: ['run', '--provider-name=foo', '--metrics-bind-address=8080'], says: /is not \[host\]:port/ },
    { argv: ['run', '--provider-name=foo', '--metrics-secure=true'], says: /not supported/ },
    {
      argv: ['run', '--provider-name=foo', '--max-concurrent-reconciles=0'],
      says: /reconciles=0 is not a whole number above zero/,
    },
    {
      argv: ['run', '--provider-name=foo', '--max-concurrent-reconciles=1.5'],
      says: /is not a whole number above zero/,
    },
    { argv: ['run', '--provider-name=foo', '--rate-limit=fast'], says: /--rate-limit=fast is not a number above zero/ },
    { argv: ['run', '--provider-name=foo', '--rate-limit-burst=5'], says: /--rate-limit-burst needs --rate-limit/ },
    { argv: ['run', '--provider-name=foo', '--retry-max-delay=soon'], says: /is not a duration such as/ },
    { argv: ['plan', '--provider-name=foo'], says: /plan needs either/ },
  ];
  for (const { argv, says } of wrong) {
    it(`is refused: "${argv.join(' ')}"`, () => {
      assert.throws(() => parseArguments(argv), { code: 'UsageError', message: says });
    });
  }
});
