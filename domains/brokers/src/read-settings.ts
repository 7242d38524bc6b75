import { ChandleryError } from '@chandlery/api';
import { didYouMean, isAddressEntry } from '@chandlery/platform';
import { addressSetting } from './model/catalog/address-policy.ts';
import { type BrokerSettings, defaultBrokerSettings } from './settings.ts';

/** Settings without a default, which are texts. */
const optionalTexts = new Set(['contextPrivateKey', 'contextSuccessorPublicKey', 'clientCertificate', 'clientKey']);

/** All keys of the settings. */
export const settingNames: readonly string[] = [...Object.keys(defaultBrokerSettings), ...optionalTexts];

/** The settings given, over the defaults. Throws `InvalidOption` for an unknown key or a value of another type. */
export function readBrokerSettings(given: Readonly<Record<string, unknown>>): BrokerSettings {
  for (const [key, value] of Object.entries(given)) checkSetting(key, value);
  return { ...defaultBrokerSettings, ...(given as Partial<BrokerSettings>) };
}

function checkSetting(key: string, value: unknown): void {
  if (optionalTexts.has(key)) {
    if (typeof value !== 'string') throw invalid(key, 'must be a text');
    return;
  }
  if (!Object.hasOwn(defaultBrokerSettings, key)) throw invalid(key, `is not known${didYouMean(key, settingNames)}`);
  const example: unknown = defaultBrokerSettings[key as keyof BrokerSettings];
  if (kindOf(value) !== kindOf(example)) throw invalid(key, `must be a ${kindOf(example)}`);
  if (key === addressSetting) checkAddresses(value as readonly unknown[]);
  if (typeof value === 'number' && !(value >= 0 && Number.isFinite(value))) throw invalid(key, 'must not be negative');
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
