import { ChandleryError, type KubeObject } from '@chandlery/api';

/** A reference by key into a ConfigMap or Secret. */
export interface KeyReference {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A field of the pod itself. */
export interface FieldReference {
  readonly fieldPath: string;
}

/** A limit or request of a container. */
export interface ResourceReference {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string | number;
}

/** The source of a variable's value. */
export interface ValueSource {
  readonly fieldRef?: FieldReference;
  readonly resourceFieldRef?: ResourceReference;
  readonly configMapKeyRef?: KeyReference;
  readonly secretKeyRef?: KeyReference;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: ValueSource;
}

/** All keys of a ConfigMap or Secret as variables. */
export interface EnvironmentSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

/** The action of a probe or a hook. */
export interface Handler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
  };
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  readonly grpc?: { readonly port: number };
  readonly sleep?: { readonly seconds: number };
}

export interface Probe extends Handler {
  /** Default 0. */
  readonly initialDelaySeconds?: number;
  /** Default 10. */
  readonly periodSeconds?: number;
  /** Default 1. */
  readonly timeoutSeconds?: number;
  /** Default 1. */
  readonly successThreshold?: number;
  /** Default 3. */
  readonly failureThreshold?: number;
  /** Default: the pod's. */
  readonly terminationGracePeriodSeconds?: number;
}

export type ProbeKind = 'startup' | 'liveness' | 'readiness';

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly envFrom?: readonly EnvironmentSource[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[];
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
  readonly volumeMounts?: readonly VolumeMount[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: Handler; readonly stopSignal?: string };
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string;
  /** `FallbackToLogsOnError` reports the end of the log of a container that failed. */
  readonly terminationMessagePolicy?: string;
}

interface KeyItem {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** Keys of a ConfigMap or Secret as files. */
export interface KeyFiles {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly KeyItem[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

/** Fields of the pod as files. */
export interface FieldFiles {
  readonly items?: readonly {
    readonly path: string;
    readonly fieldRef?: FieldReference;
    readonly resourceFieldRef?: ResourceReference;
  }[];
}

export interface TokenFile {
  readonly path: string;
  readonly audience?: string;
  /** Default 3600. */
  readonly expirationSeconds?: number;
}

/** One source of a projected volume. */
export interface Projection {
  readonly secret?: KeyFiles;
  readonly configMap?: KeyFiles;
  readonly downwardAPI?: FieldFiles;
  readonly serviceAccountToken?: TokenFile;
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly configMap?: KeyFiles;
  readonly secret?: KeyFiles;
  readonly downwardAPI?: FieldFiles;
  readonly projected?: { readonly sources?: readonly Projection[] };
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

export interface PodSpec {
  /** Default Always. */
  readonly restartPolicy?: string;
  /** Default 30. */
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly nodeName?: string;
  readonly serviceAccountName?: string;
  /** Default: as the service account says. */
  readonly automountServiceAccountToken?: boolean;
  readonly hostname?: string;
}

/** The parts of a Pod object that a node reads. */
export interface Pod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** The status that an earlier node process reported. */
  readonly status: unknown;
}

/** Reads a Pod object that the API has already validated. */
export function readPod(object: KubeObject): Pod {
  const { uid, name, namespace, labels, annotations } = object.metadata;
  if (uid === undefined || name === undefined) {
    throw new ChandleryError('InvalidPod', 'A pod needs metadata.uid and metadata.name to run.');
  }
  // Both become names of folders.
  if (!/^[A-Za-z0-9][\w.-]*$/.test(uid)) throw new ChandleryError('InvalidPod', `"${uid}" cannot be the uid of a pod.`);
  return {
    uid,
    name,
    namespace: namespace ?? 'default',
    labels: labels ?? {},
    annotations: annotations ?? {},
    spec: object.spec as PodSpec,
    status: object.status,
  };
}

/** Whether an init container keeps running beside the others. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** Init containers, then the others. Names are unique over both. */
export const allContainers = (spec: PodSpec): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** The default grace period of a pod. */
export const graceMsOf = (spec: PodSpec): number => Number(spec.terminationGracePeriodSeconds ?? 30) * 1000;

/** The probe of a kind, if the container has one. */
export function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  if (kind === 'startup') return container.startupProbe;
  return kind === 'liveness' ? container.livenessProbe : container.readinessProbe;
}
