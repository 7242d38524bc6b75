import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { silentLogger, systemClock } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { type Workflow, workflowKinds, workflowsCluster, workflowsRef } from '../../kinds/workflows/index.ts';
import { StatusJoin } from '../../model/workflows/join-workflow.ts';
import { isCompletedPhase } from '../../model/workflows/node-edits.ts';
import { statusOf } from '../../registry/workflows/node-store.ts';
import { createWorkflowRegistry, type WorkflowRegistry } from '../../registry/workflows/workflow-registry.ts';
import type { NodeRunner, ObserveNode, StartRequest } from '../../workflow-ports.ts';
import type { WorkflowSettings } from './settings.ts';
import { WorkflowController } from './workflow-controller.ts';

/** The real controller on a plane of its own, with nodes that do nothing. */
export interface TestController extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly registry: WorkflowRegistry;
  /** Creates a Workflow and returns its uid and name. */
  submit(document: object): Promise<{ readonly uid: string; readonly name: string }>;
  read(name: string): Promise<Workflow>;
  /** Waits for the end of a Workflow, without reading it again and again. */
  untilCompleted(uid: string): Promise<void>;
}

export interface TestControllerOptions {
  readonly settings?: WorkflowSettings;
  /** Whether a node ends at once. Default: all do. Others run until the controller stops. */
  readonly endsAtOnce?: (request: StartRequest) => boolean;
}

/** Ends nodes at once, without running anything. */
const createNoOpRunner =
  (endsAtOnce: (request: StartRequest) => boolean) =>
  (observe: ObserveNode): NodeRunner => ({
    start: request => {
      if (!endsAtOnce(request)) return;
      const { workflow, action } = request;
      setImmediate(() => observe(workflow.uid, { kind: 'ended', node: action.node, exitCode: 0 }));
    },
    kill: () => undefined,
    settle: () => undefined,
    release: () => undefined,
    forget: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  });

/** Starts one: `await using test = await startTestController()`. */
export async function startTestController({
  settings = {},
  endsAtOnce = () => true,
}: TestControllerOptions = {}): Promise<TestController> {
  await using stack = new AsyncDisposableStack();
  const join = new StatusJoin();
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(join) }));
  const client = plane.connect(workflowsCluster);
  const registry = stack.use(createWorkflowRegistry({ client }));
  await registry.synced;
  stack.defer(join.attach({ statusOf: uid => statusOf(registry, uid) }));
  const controller = stack.use(
    new WorkflowController({
      client,
      registry,
      createRunner: createNoOpRunner(endsAtOnce),
      http: { send: async ({ node }) => ({ kind: 'noResponse', node, message: 'none' }) },
      findTemplate: () => () => undefined,
      readConfigMap: () => () => undefined,
      validate: () => [],
      readLimit: () => undefined,
      settings,
      clock: systemClock,
      logger: silentLogger,
    }),
  );
  await controller.start();
  const at = { ...workflowsRef, namespace: 'default' };
  const all = stack.move();
  return {
    client,
    registry,
    submit: async document => {
      const { uid = '', name = '' } = (await client.create(at, document as KubeObject)).metadata;
      return { uid, name };
    },
    read: name => client.get<Workflow>({ ...at, name }),
    untilCompleted: async uid => {
      await registry.executions.until(
        uid,
        row => isCompletedPhase(row?.spec.status['phase']),
        AbortSignal.timeout(600_000),
      );
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
