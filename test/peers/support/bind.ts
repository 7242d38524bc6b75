import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { freePort, startProcess, tempFolder } from '@chandlery/testing';

/** The algorithms that BIND has a key for. */
export const bindKeyAlgorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;

/** A BIND with one zone that its keys may update. */
export interface Bind extends AsyncDisposable {
  readonly access: { readonly server: string; readonly port: number };
  key(algorithm: string): { readonly keyName: string; readonly keyAlgorithm: string; readonly keySecret: string };
}

/** Starts BIND on loopback. */
export async function startBind(program: string, domain: string): Promise<Bind> {
  const folder = await tempFolder();
  const port = await freePort();
  const secrets = new Map<string, string>(bindKeyAlgorithms.map(name => [name, randomBytes(64).toString('base64')]));
  await writeFile(folder.join('zone'), zoneFile(domain));
  await writeFile(folder.join('named.conf'), configuration({ folder: folder.path, port, domain, secrets }));
  const named = await startProcess(program, ['-g', '-c', folder.join('named.conf')], { ready: /\d running$/m });
  return {
    access: { server: '127.0.0.1', port },
    key: algorithm => ({
      keyName: `fleet-${algorithm}`,
      keyAlgorithm: algorithm,
      keySecret: secrets.get(algorithm) ?? '',
    }),
    async [Symbol.asyncDispose]() {
      await named.kill9();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const zoneFile = (domain: string): string => `$TTL 60
@ IN SOA ns.${domain}. hostmaster.${domain}. 1 3600 600 86400 5
@ IN NS ns.${domain}.
ns IN A 127.0.0.1
`;

interface Settings {
  readonly folder: string;
  readonly port: number;
  readonly domain: string;
  readonly secrets: ReadonlyMap<string, string>;
}

function configuration({ folder, port, domain, secrets }: Settings): string {
  const keys = [...secrets].map(([name, secret]) => `key "fleet-${name}" { algorithm ${name}; secret "${secret}"; };`);
  const allowed = [...secrets.keys()].map(name => `key "fleet-${name}";`).join(' ');
  return `${keys.join('\n')}
options {
  directory "${folder}"; pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; empty-zones-enable no; notify no;
};
controls { };
zone "${domain}" { type primary; file "${folder}/zone"; allow-update { ${allowed} }; };
`;
}
