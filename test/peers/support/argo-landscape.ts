import { delimiter, dirname } from 'node:path';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Argo, startArgo } from './argo.ts';
import { standInForExec } from './argo-signals.ts';

/** A landscape, and the genuine Argo on a local cluster of it. */
export interface LandscapeWithArgo extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly argo: Argo;
}

/** Starts both. `orders`: settings of orders. Default: none. */
export async function startLandscapeWithArgo(controller: string, orders?: object): Promise<LandscapeWithArgo> {
  await using stack = new AsyncDisposableStack();
  // Pods find `argoexec` there.
  const PATH = [dirname(controller), process.env['PATH']].join(delimiter);
  const env = { PATH, ...(orders && { CHANDLERY_ORDERS: JSON.stringify(orders) }) };
  const landscape = stack.use(await startTestLandscape({ env }));
  const argo = stack.use(await startArgo(landscape, controller));
  stack.use(standInForExec(landscape, argo.cluster, argo.controller));
  const all = stack.move();
  return { landscape, argo, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
