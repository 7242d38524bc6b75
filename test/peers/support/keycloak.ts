import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePorts, startProcess, tempFolder } from '@chandlery/testing';

/** The realm that the server imports, and a client that may manage its clients. */
export const fleetRealm = { realm: 'fleet', clientId: 'fleet-manager', clientSecret: 'only-for-tests' } as const;

/** A Keycloak on loopback. */
export interface Keycloak extends AsyncDisposable {
  /** Without the path. */
  readonly url: string;
  readonly tokenUrl: string;
}

const startTimeoutMs = 300_000;

/** Starts a Keycloak with an empty database in a copy of its folder, since it writes there. */
export async function startKeycloak(program: string): Promise<Keycloak> {
  const folder = await tempFolder();
  const home = folder.join('keycloak');
  await cp(join(dirname(program), '..'), home, { recursive: true });
  await mkdir(join(home, 'data/import'), { recursive: true });
  await writeFile(join(home, 'data/import/fleet-realm.json'), JSON.stringify(realmDocument()));
  const [port = 0, managementPort = 0] = await freePorts(2);
  const flags = [
    'start-dev',
    '--import-realm',
    '--http-host=127.0.0.1',
    `--http-port=${port}`,
    `--http-management-port=${managementPort}`,
    '--cache=local',
  ];
  const server = await startProcess(join(home, 'bin/kc.sh'), flags, {
    ready: /started in [\d.]+s\. Listening on/,
    readyTimeoutMs: startTimeoutMs,
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    tokenUrl: `${url}/realms/${fleetRealm.realm}/protocol/openid-connect/token`,
    async [Symbol.asyncDispose]() {
      await server.kill9();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A realm whose client `fleet-manager` has a service account with the right to manage clients. */
const realmDocument = () => ({
  realm: fleetRealm.realm,
  enabled: true,
  clients: [
    {
      clientId: fleetRealm.clientId,
      secret: fleetRealm.clientSecret,
      enabled: true,
      serviceAccountsEnabled: true,
      publicClient: false,
      standardFlowEnabled: false,
    },
  ],
  users: [
    {
      username: `service-account-${fleetRealm.clientId}`,
      enabled: true,
      serviceAccountClientId: fleetRealm.clientId,
      clientRoles: { 'realm-management': ['manage-clients', 'view-clients', 'query-clients'] },
    },
  ],
});
