import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { kubectlPath, longRun, runTranscript, type TestLandscape, tempFolder } from '@chandlery/testing';

/** Two tenants that live through the same story at the same time. */
const tenants = ['crimson', 'azure'] as const;

/** While stories are rewritten, one tenant is enough: both would write the same file. */
const isUpdating = process.env.CHANDLERY_UPDATE === '1';

/** Only what is written, applied and deleted could leak; the rest is repeated in a long run only. */
const toldTwice = ['apply', 'deleting', 'writing'];

/** How many tenants live through a story. */
function playersOf(story: string): readonly (typeof tenants)[number][] {
  return tenants.slice(0, isUpdating ? 1 : longRun(2, toldTwice.includes(story) ? 2 : 1));
}

const storyFolder = join(import.meta.dirname, 'stories');

/**
 * Plays a story, where it writes in two logical clusters at once. Both use the same names for everything, so whatever
 * leaked from one into the other would show as something that exists already, or is deleted, or has the other's value.
 */
export async function playStory(landscape: TestLandscape, story: string): Promise<void> {
  await Promise.all(playersOf(story).map(tenant => playIn(landscape, story, tenant)));
}

async function playIn(landscape: TestLandscape, story: string, tenant: (typeof tenants)[number]): Promise<void> {
  const cluster = `${story}-${tenant}`;
  await landscape.createCluster(cluster);
  await using folder = await tempFolder(`chandlery-${cluster}-`);
  await cp(join(storyFolder, 'files'), folder.path, { recursive: true });
  await writeTools(folder.path);
  const kubeconfig = folder.join('kubeconfig');
  const { kubeconfig: adminKubeconfig, url, token } = landscape;
  await writeFile(kubeconfig, useContext(await readFile(adminKubeconfig, 'utf8'), cluster), { mode: 0o600 });
  await runTranscript(join(storyFolder, `${story}.txt`), {
    cwd: folder.path,
    env: {
      KUBECONFIG: kubeconfig,
      HOME: folder.path,
      PATH: `${folder.path}:${dirname(await kubectlPath())}:${process.env.PATH}`,
      KUBE_EDITOR: undefined,
    },
    variables: { tenant, cluster, url, token },
    update: isUpdating,
  });
}

const useContext = (kubeconfig: string, context: string): string =>
  kubeconfig.replace(/^current-context: .*$/m, `current-context: ${context}`);

/** Waits until a file has a line that matches: how a story knows that a command in the background saw something. */
const untilSeen = `#!/bin/sh
for _ in $(seq 1 400); do
  grep -qE -- "$2" "$1" 2>/dev/null && exit 0
  sleep 0.05
done
echo "not seen in $1: $2; it has:"; cat "$1"; exit 1
`;

/** Tries a command until it succeeds: for what a controller does a moment later. */
const eventually = `#!/bin/sh
for _ in $(seq 1 400); do
  "$@" > .eventually 2>&1 && exec cat .eventually
  sleep 0.05
done
echo "did not succeed: $*"; cat .eventually; exit 1
`;

async function writeTools(folder: string): Promise<void> {
  for (const [name, script] of Object.entries({ 'until-seen': untilSeen, eventually })) {
    await writeFile(join(folder, name), script);
    await chmod(join(folder, name), 0o755);
  }
}
