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
      object: undefined,
      file: undefined,
    });
  });

  it('is understood as people write it', () => {
    const args = parseArguments(['plan', '--provider-name', 'foo', '-f', 'foo.yaml', '--leader-elect']);
    assert.equal(args.file, 'foo.yaml');
    assert.equal(args.isLeaderElected, true);
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
    { argv: ['plan', '--provider-name=foo'], says: /plan needs either/ },
  ];
  for (const { argv, says } of wrong) {
    it(`is refused: "${argv.join(' ')}"`, () => {
      assert.throws(() => parseArguments(argv), { code: 'UsageError', message: says });
    });
  }
});
