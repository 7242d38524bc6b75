import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';
import { didYouMean, isAddressEntry } from '@chandlery/platform';
import { addressSetting } from './model/catalog/address-policy.ts';
import { type BrokerSettings, defaultBrokerSettings } from './settings.ts';

/** What a text in PEM is to be, and the function that throws when it is something else. */
interface PemSetting {
  readonly what: string;
  readonly parse: (pem: string) => unknown;
}

/** Settings without a default, which are PEM. */
const pemSettings: Readonly<Record<string, PemSetting>> = {
  contextPrivateKey: { what: 'a private key', parse: createPrivateKey },
  contextSuccessorPublicKey: { what: 'a public key', parse: createPublicKey },
  clientCertificate: { what: 'a certificate', parse: pem => new X509Certificate(pem) },
  clientKey: { what: 'a private key', parse: createPrivateKey },
};

/** All keys of the settings. */
export const settingNames: readonly string[] = [...Object.keys(defaultBrokerSettings), ...Object.keys(pemSettings)];

/** The settings given, over the defaults. Throws `InvalidOption` for an unknown key or a value of another type. */
export function readBrokerSettings(given: Readonly<Record<string, unknown>>): BrokerSettings {
  for (const [key, value] of Object.entries(given)) checkSetting(key, value);
  return { ...defaultBrokerSettings, ...(given as Partial<BrokerSettings>) };
}

function checkSetting(key: string, value: unknown): void {
  if (Object.hasOwn(pemSettings, key)) {
    if (typeof value !== 'string') throw invalid(key, 'must be a text');
    checkPem(key, value);
    return;
  }
  if (!Object.hasOwn(defaultBrokerSettings, key)) throw invalid(key, `is not known${didYouMean(key, settingNames)}`);
  const example: unknown = defaultBrokerSettings[key as keyof BrokerSettings];
  if (kindOf(value) !== kindOf(example)) throw invalid(key, `must be a ${kindOf(example)}`);
  if (key === addressSetting) checkAddresses(value as readonly unknown[]);
  if (typeof value === 'number' && !(value >= 0 && Number.isFinite(value))) throw invalid(key, 'must not be negative');
}

function checkPem(key: string, pem: string): void {
  const setting = pemSettings[key];
  try {
    setting?.parse(pem);
  } catch {
    throw invalid(key, `must be ${setting?.what} in PEM, with all of its lines and without a passphrase`);
  }
}

function checkAddresses(entries: readonly unknown[]): void {
  const wrong = entries.find(entry => typeof entry !== 'string' || !isAddressEntry(entry));
  if (wrong !== undefined)
    throw invalid(
      addressSetting,
      `has an entry that is neither an address range, an address nor a host: ${JSON.stringify(wrong)}`,
    );
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

const invalid = (key: string, why: string): ChandleryError =>
  new ChandleryError('InvalidOption', `the setting "${key}" of the service manager ${why}`, {
    hint: 'All of them are in docs/operating.md, "The service manager".',
  });
