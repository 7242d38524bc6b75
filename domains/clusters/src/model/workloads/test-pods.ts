import type { PodObject } from './objects.ts';

const time = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** What a test says of a pod. Times are in seconds. */
export interface PodSketch {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly node?: string;
  readonly readySince?: number;
  readonly created?: number;
  readonly endedAt?: number;
  readonly restarts?: number;
  readonly isDeleted?: boolean;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

/** A pod as the API shows it. */
export function sketchPod(name: string, sketch: PodSketch = {}): PodObject {
  const { phase = 'Running', node = 'n', readySince, created = 0, endedAt, restarts = 0, isDeleted } = sketch;
  const ready = {
    type: 'Ready',
    status: readySince === undefined ? 'False' : 'True',
    lastTransitionTime: time(readySince ?? 0),
  } as const;
  const ended = endedAt === undefined ? undefined : time(endedAt);
  const state =
    ended === undefined
      ? {}
      : { terminated: { exitCode: 0, reason: '', startedAt: ended, finishedAt: ended, containerID: '' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ns',
      uid: name,
      creationTimestamp: time(created),
      ...(isDeleted ? { deletionTimestamp: time(created) } : {}),
      labels: sketch.labels ?? {},
      annotations: sketch.annotations ?? {},
    },
    spec: { containers: [{ name: 'main' }], ...(node === '' ? {} : { nodeName: node }) },
    status: {
      phase,
      podIP: '127.0.0.1',
      conditions: [ready],
      containerStatuses: [
        {
          name: 'main',
          image: '',
          imageID: '',
          state,
          lastState: {},
          ready: readySince !== undefined,
          started: true,
          restartCount: restarts,
        },
      ],
    },
  };
}
