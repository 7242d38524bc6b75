import type { ErrorEntry } from '../error-catalogue.ts';

/** Errors of the store, of backups and tokens, and of the programs beside the server. */
export const programErrors: Readonly<Record<string, ErrorEntry>> = {
  UniqueViolation: { means: 'Another object has a value that must be unique.', next: 'Choose another value.' },
  Compacted: {
    means: 'History that was asked for is compacted.',
    next: 'Read the present state and continue from it.',
  },
  FutureRevision: { means: 'The revision lies in the future.', next: 'Ask for a revision that a list has returned.' },
  Unavailable: {
    means: 'The store cannot work now: the disk is full, or the connection is lost.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  StoreDamaged: {
    means: 'Stored data is not what was written.',
    next: 'Run "npx chandlery store verify", then restore a backup: docs/operating.md.',
  },
  NotABackup: { means: 'The file is no backup.', next: 'Use a file that "npx chandlery backup" has written.' },
  BackupTooNew: {
    means: 'A later version has written the backup.',
    next: 'Restore it with that version, or a later one.',
  },
  BackupTruncated: { means: 'The end of the backup is missing.', next: 'Use another copy of the backup.' },
  BackupCorrupted: { means: 'The backup is not what was written.', next: 'Use another copy of the backup.' },
  TokenMalformed: {
    means: 'The token cannot be read.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenAlgorithmNotAllowed: {
    means: 'The token is signed by an algorithm that is not allowed.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenUnknownKey: {
    means: 'The token is signed with a key that is not known.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenSignatureInvalid: {
    means: 'The signature of the token is wrong.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenExpired: {
    means: 'The token has expired.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenNotYetValid: {
    means: 'The token is not valid yet: the clocks differ.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenWrongIssuer: {
    means: 'The token is of another issuer.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenWrongAudience: {
    means: 'The token is for another audience.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenWrongCluster: {
    means: 'The token is of another cluster.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenClaimMissing: {
    means: 'The token lacks a claim.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  TokenClaimRefused: {
    means: 'A claim of the token has a value that is not accepted.',
    next: 'Sign in again with "npx chandlery login", or use another kubeconfig.',
  },
  OidcUnavailable: {
    means: 'The OpenID provider cannot be reached.',
    next: 'Check "oidc" in chandlery.yaml, and the network.',
  },
  ConfigFileMissing: { means: 'The settings file does not exist.', next: 'Name another one with --config.' },
  LeaveIncomplete: {
    means: 'Some services could not be given back to the platform.',
    next: 'Repeat the command; the message lists them.',
  },
  FileUnreadable: { means: 'A file of the settings cannot be read.', next: 'Check the path and the rights.' },
  StateInvalid: {
    means: 'The state of the proxy cannot be read.',
    next: 'Restore the file, or remove it to begin again.',
  },
  ConnectionRefused: {
    means: 'The service manager has refused the connection.',
    next: 'Check address and credentials.',
  },
  InvalidAnswer: {
    means: 'The response is not what this API sends.',
    next: 'Check that the address is that of a service manager.',
  },
  CatalogUnavailable: {
    means: 'The catalog cannot be read.',
    next: 'Try again in a moment; "npx chandlery status" shows whether the landscape is healthy.',
  },
  LoginFailed: { means: 'The platform does not accept the credentials.', next: 'Check user and password.' },
  JobFailed: { means: 'The platform could not carry out a job.', next: 'See the message of the platform.' },
  InvalidValue: { means: 'A setting has a value that it cannot have.', next: 'Correct it.' },
};
