import { ChandleryError } from '@chandlery/api';
import { maskSecrets } from '../log/redact.ts';
import { didYouMean, kebabCase } from './option-names.ts';

/** What can be wrong with a program's settings. */
export const configErrorCodes = [
  'UnknownOption',
  'InvalidOption',
  'MissingValue',
  'UnexpectedArgument',
  'ConfigFileInvalid',
] as const;
/** One of {@link configErrorCodes}. */
export type ConfigErrorCode = (typeof configErrorCodes)[number];

/** Makes an error about settings; whatever looks like a password in the message is hidden. */
export const configError = (
  code: ConfigErrorCode,
  message: string,
  options: { hint?: string; cause?: unknown } = {},
): ChandleryError => new ChandleryError(code, maskSecrets(message), options);

/** An unknown name, with the known one that was probably meant. */
export function unknownOption(what: string, name: string, known: readonly string[]): ChandleryError {
  return configError('UnknownOption', `unknown ${what} "${name}"${didYouMean(kebabCase(name), known)}`, {
    hint: 'See --help for all options.',
  });
}
