import { ChandleryError, type JsonValue } from '@chandlery/api';

/** Metadata key of the folder with an Envoy's certificates. */
export const certificateFolderKey = 'mesh.chandlery.io/certificate-folder';

/** PATH_MAX of Linux. */
const maxPathLength = 4096;
const hasControlCharacter = /\p{Cc}/u;

/**
 * Reads the folder with an Envoy's certificates from its metadata. Throws `InvalidRequest` for anything but an absolute
 * path, and for a missing one: such a bootstrap is from an earlier version, whose Envoys received a key.
 */
export function readCertificateFolder(value: JsonValue | undefined): string {
  if (value === undefined)
    throw invalid(
      `"${certificateFolderKey}" is missing in the metadata of the node: the control plane no longer sends private keys, and this bootstrap has no folder of the workload's certificate`,
    );
  const isPath = typeof value === 'string' && value.startsWith('/') && value.length <= maxPathLength;
  if (!isPath || hasControlCharacter.test(value))
    throw invalid(`"${certificateFolderKey}" in the metadata of the node is not the absolute path of a folder`);
  return value.replace(/(?<=.)\/+$/, '');
}

const invalid = (message: string): ChandleryError =>
  new ChandleryError('InvalidRequest', message, {
    hint: 'Run "chandlery mesh bootstrap envoy" again with the same flags and --dir, and restart Envoy.',
  });
