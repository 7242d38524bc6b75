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
  /** Stops the controller, calls `whileStopped`, and starts another one. */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
}

export interface TestControllerOptions {
  readonly settings?: WorkflowSettings;
  /** Whether a node ends at once. Default: all do. Others run until the controller stops. */
  readonly endsAtOnce?: (request: StartRequest) => boolean;
  /** Called with what the controller asks of the runner of nodes. Default: not recorded. */
  readonly onCall?: (call: RunnerCall) => void;
}

/** A call of the controller. */
export type RunnerCall =
  | { readonly kind: 'settle' }
  | { readonly kind: 'start'; readonly uid: string; readonly earlierStart: StartRequest['earlierStart'] };

/** Ends nodes at once, without running anything. */
const createNoOpRunner =
  ({ endsAtOnce = () => true, onCall = () => undefined }: TestControllerOptions) =>
  (observe: ObserveNode): NodeRunner => ({
    start: request => {
      const { workflow, action, earlierStart } = request;
      onCall({ kind: 'start', uid: workflow.uid, earlierStart });
      if (!endsAtOnce(request)) return;
      setImmediate(() => observe(workflow.uid, { kind: 'ended', node: action.node, exitCode: 0 }));
    },
    kill: () => undefined,
    settle: () => onCall({ kind: 'settle' }),
    release: () => undefined,
    forget: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  });

const createController = (
  deps: { readonly client: AtomicClient; readonly registry: WorkflowRegistry },
  options: TestControllerOptions,
): WorkflowController =>
  new WorkflowController({
    ...deps,
    createRunner: createNoOpRunner(options),
    http: { send: async ({ node }) => ({ kind: 'noResponse', node, message: 'none' }) },
    findTemplate: () => () => undefined,
    readConfigMap: () => () => undefined,
    validate: () => [],
    readLimit: () => undefined,
    settings: options.settings ?? {},
    clock: systemClock,
    logger: silentLogger,
  });

/** Starts one: `await using test = await startTestController()`. */
export async function startTestController(options: TestControllerOptions = {}): Promise<TestController> {
  await using stack = new AsyncDisposableStack();
  const join = new StatusJoin();
  const plane = stack.use(await startTestPlane({ kinds: workflowKinds(join) }));
  const client = plane.connect(workflowsCluster);
  const registry = stack.use(createWorkflowRegistry({ client }));
  await registry.synced;
  stack.defer(join.attach({ statusOf: uid => statusOf(registry, uid) }));
  const start = async (): Promise<WorkflowController> => {
    const controller = createController({ client, registry }, options);
    await controller.start();
    return controller;
  };
  let controller = await start();
  stack.defer(() => controller[Symbol.asyncDispose]());
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
    restart: async whileStopped => {
      await controller[Symbol.asyncDispose]();
      await whileStopped?.();
      controller = await start();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
