import { dirname, join } from 'node:path';
import { findCachedProgram } from './cached-program.ts';
import { findDebianProgram, findProgram } from './debian-packages.ts';
import type { FoundProgram } from './found-program.ts';

/** BIND, a DNS server. */
export const findBind = (): Promise<FoundProgram> => findDebianProgram('named', 'bind9');

/** dig, a DNS client. */
export const findDig = (): Promise<FoundProgram> => findDebianProgram('dig', 'bind9-dnsutils');

/** Chromium, for tests of the console. */
export const findChromium = (): Promise<FoundProgram> => findDebianProgram('chromium', 'chromium');

export const findPrometheus = (): Promise<FoundProgram> => findDebianProgram('prometheus', 'prometheus');

const motoVersion = '5.2.1';
/** What its server needs for Route 53; the extra `server` brings the tools of all services, which take minutes. */
const motoPackages = [`moto==${motoVersion}`, 'flask==3.1.2', 'flask-cors==6.0.1'];

/** moto, which speaks the protocols of AWS: the one on the PATH, else one out of PyPI. */
export async function findMoto(): Promise<FoundProgram> {
  const installed = await findProgram('moto_server');
  if (installed !== undefined) return { path: installed };
  const flags = ['--quiet', '--no-compile', '--disable-pip-version-check'];
  return findCachedProgram({
    name: `moto-${motoVersion}`,
    program: 'bin/moto_server',
    commands: folder => [['python3', '-m', 'pip', 'install', ...flags, '--target', folder, ...motoPackages]],
  });
}

const cloudSdks = [
  '@azure/arm-compute@24.1.0',
  '@azure/arm-network@36.0.0',
  '@azure/identity@4.13.1',
  '@azure/storage-queue@12.32.0',
  '@google-cloud/compute@6.15.0',
  '@google-cloud/pubsub@5.2.0',
  'google-auth-library@10.5.0',
];

/** A program that lists machines by the SDKs of Azure and Google, which have 300 MB: brought by npm beside the program. */
export const findCloudSdks = (program: string): Promise<FoundProgram> =>
  findCachedProgram({
    name: 'cloud-sdks-2',
    program: 'list-by-sdks.mjs',
    commands: folder => [
      ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--no-package-lock', '--prefix', folder, ...cloudSdks],
      ['install', '--mode=755', program, join(folder, 'list-by-sdks.mjs')],
    ],
  });

const pebbleVersion = 'v2.10.1';

/** Pebble, an ACME server for tests, by the Go module proxy. */
export const findPebble = (): Promise<FoundProgram> =>
  findCachedProgram({
    name: `pebble-${pebbleVersion}`,
    program: 'pebble',
    commands: folder => [
      ['env', `GOBIN=${folder}`, 'go', 'install', `github.com/letsencrypt/pebble/v2/cmd/pebble@${pebbleVersion}`],
    ],
  });

const helmVersion = 'v3.22.0';

/** Helm, by the Go module proxy. */
export const findHelm = (): Promise<FoundProgram> =>
  findCachedProgram({
    name: `helm-${helmVersion}`,
    program: 'helm',
    commands: folder => [['env', `GOBIN=${folder}`, 'go', 'install', `helm.sh/helm/v3/cmd/helm@${helmVersion}`]],
  });

const argoVersion = 'v4.0.7';

/** Argo Workflows by the Go module proxy: its controller; beside it `argoexec`, `argo`, and the folders `crds` and `examples`. */
export const findArgo = (): Promise<FoundProgram> =>
  findCachedProgram({
    name: `argo-${argoVersion}`,
    program: 'workflow-controller',
    commands: folder => {
      const build = join(import.meta.dirname, 'argo/build-argo.ts');
      // A second build, which waits for the first one, finds most of it in the cache of Go.
      return [['flock', join(dirname(folder), 'argo.lock'), process.execPath, build, folder, argoVersion]];
    },
    // The first build takes minutes of all cores, and more beside other tests.
    timeoutMs: 1_500_000,
  });

const keycloakVersion = '26.0.7';

/** Keycloak, by Maven; it needs Java 17. */
export const findKeycloak = (): Promise<FoundProgram> => {
  const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:tar.gz`;
  const tarball = `keycloak-quarkus-dist-${keycloakVersion}.tar.gz`;
  return findCachedProgram({
    name: `keycloak-${keycloakVersion}`,
    program: `keycloak-${keycloakVersion}/bin/kc.sh`,
    commands: folder => [
      ['mvn', '--batch-mode', '--quiet', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
      ['tar', '--extract', '--gzip', '--file', join(folder, tarball), '--directory', folder],
      ['rm', join(folder, tarball)],
    ],
  });
};
