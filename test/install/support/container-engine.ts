import { copyFile, cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findDebianProgram, type ProcessResult, runProcess, type TempFolder } from '@chandlery/testing';
import { must } from './release.ts';

const programs = { podman: 'podman', buildah: 'buildah', runc: 'runc', debootstrap: 'debootstrap' } as const;
const baseImage = 'docker.io/library/node:26-slim';
const trusted = '/etc/ssl/certs/ca-certificates.crt';
const buildTimeoutMs = 900_000;

/** Returns why no container can be built and run here; undefined when it can. Installs what is missing. */
export async function whyNoContainers(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'containers are run as root on Linux';
  for (const [program, debianPackage] of Object.entries(programs)) {
    const found = await findDebianProgram(program, debianPackage);
    if (found.path === undefined) return found.reason;
  }
  return undefined;
}

/** Builds and runs images without a daemon, with a storage of its own. */
export class ContainerEngine implements AsyncDisposable {
  readonly #folder: TempFolder;

  private constructor(folder: TempFolder) {
    this.#folder = folder;
  }

  static async open(folder: TempFolder): Promise<ContainerEngine> {
    // Limits of open files and processes are those of the machine: raising them takes a capability that it may lack.
    await writeFile(folder.join('containers.conf'), '[containers]\ndefault_ulimits = []\n');
    return new ContainerEngine(folder);
  }

  /** To be set for podman. */
  get env(): Readonly<Record<string, string>> {
    return { CONTAINERS_CONF: this.#folder.join('containers.conf') };
  }

  /** The command line of podman with its arguments, for containers that are run in the foreground. */
  podman(args: readonly string[]): readonly [string, ...string[]] {
    return ['podman', '--runtime', 'runc', ...this.#storage(), ...args];
  }

  async run(args: readonly string[]): Promise<ProcessResult> {
    const [program, ...rest] = this.podman(args);
    return runProcess(program, rest, { env: this.env, timeoutMs: 120_000 });
  }

  /**
   * Makes the image that the Dockerfile begins with: Debian, with the Node.js of this clone and npm. Registries of images
   * need not be reached.
   */
  async makeBaseImage(): Promise<void> {
    const root = this.#folder.join('base');
    const release = /VERSION_CODENAME=(\w+)/.exec(await readFile('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
    const cwd = this.#folder.path;
    await must('debootstrap', ['--variant=minbase', '--include=libatomic1', release, root], { cwd });
    await copyFile(process.execPath, join(root, 'usr/local/bin/node'));
    await copyNpm(root);
    await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
    await copyFile(trusted, join(root, trusted));
    const archive = this.#folder.join('base.tar');
    await must('tar', ['-C', root, '-cf', archive, '.'], { cwd });
    const trust = `ENV NODE_EXTRA_CA_CERTS=${trusted}`;
    const [program, ...args] = this.podman(['import', '--quiet', '--change', trust, archive, baseImage]);
    await must(program, args, { cwd, env: this.env });
  }

  /** Builds a Dockerfile without fetching any image. */
  async build(name: string, { dockerfile, context, args }: BuildOptions): Promise<void> {
    const flags = ['--isolation=chroot', '--network=host', '--pull=never', '--format=docker'];
    const buildArgs = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
    const command = ['bud', ...flags, '--file', dockerfile, ...buildArgs, '--tag', name, context];
    const built = await runProcess('buildah', [...this.#storage(), ...command], { timeoutMs: buildTimeoutMs });
    if (built.code !== 0) throw new Error(`the image cannot be built: ${built.stderr.slice(-4000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run(['rm', '--all', '--force', '--time', '0']);
    await this.run(['system', 'reset', '--force']);
  }

  #storage(): string[] {
    const [root, runRoot] = [this.#folder.join('storage'), this.#folder.join('run')];
    return ['--root', root, '--runroot', runRoot, '--storage-driver', 'vfs'];
  }
}

interface BuildOptions {
  readonly dockerfile: string;
  readonly context: string;
  readonly args: Readonly<Record<string, string>>;
}

async function copyNpm(root: string): Promise<void> {
  const { stdout } = await must('sh', ['-c', 'command -v npm'], { cwd: '/' });
  const program = await realpath(stdout.trim());
  await cp(dirname(dirname(program)), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
}
