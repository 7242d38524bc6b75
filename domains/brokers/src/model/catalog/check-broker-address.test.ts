import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultBrokerSettings } from '../../settings.ts';
import { checkBrokerAddress } from './check-broker-address.ts';

const cases = [
  { spec: { url: 'https://pg.example/osb' }, isLax: true, isStrict: true },
  { spec: { url: 'http://pg.example' }, isLax: true, isStrict: false },
  { spec: { url: 'https://127.0.0.9:8443' }, isLax: true, isStrict: false },
  { spec: { url: 'https://[::1]' }, isLax: true, isStrict: false },
  { spec: { url: 'https://LOCALHOST' }, isLax: true, isStrict: false },
  { spec: { internal: 'fleet' }, isLax: true, isStrict: true },
  { spec: {}, isLax: false, isStrict: false },
  { spec: { url: 'https://x', internal: 'fleet' }, isLax: false, isStrict: false },
  { spec: { url: 'ftp://x' }, isLax: false, isStrict: false },
  { spec: { url: 'not a url' }, isLax: false, isStrict: false },
  { spec: { url: 'https://u:p@x' }, isLax: false, isStrict: false },
  { spec: { url: 'https://x/?a=b' }, isLax: false, isStrict: false },
] as const;

for (const { spec, isLax, isStrict } of cases) {
  test(`the address ${JSON.stringify(spec)} is ${isStrict ? '' : isLax ? 'only leniently ' : 'never '}accepted`, () => {
    for (const [allowInsecureBrokers, isAccepted] of [
      [true, isLax],
      [false, isStrict],
    ] as const) {
      const check = () => checkBrokerAddress(spec, { ...defaultBrokerSettings, allowInsecureBrokers });
      if (isAccepted) check();
      else assert.throws(check, { code: 'BadRequest' });
    }
  });
}

test('an address in a private range is registered only where the setting allows it, and the message names the setting', () => {
  const check = (allowedBrokerAddresses: readonly string[]) =>
    checkBrokerAddress(
      { url: 'https://[::ffff:169.254.169.254]/' },
      { ...defaultBrokerSettings, allowedBrokerAddresses },
    );
  assert.throws(() => check([]), { code: 'BrokerAddressNotAllowed', status: 400, message: /allowedBrokerAddresses/ });
  check(['169.254.169.254']);
});
