/**
 * The fleet's agent: runs the instances of a product on one data-plane cluster.
 *
 * `startAgent` starts one in this process; `main.ts` is the program. Its input comes from the agents' part of the
 * fleet manager's REST API (`ControlPlane`), what it remembers is in labels and annotations of the cluster.
 */
export { ControlPlane, type ControlPlaneOptions } from './control-plane/control-plane.ts';
export { type AgentOptions, type RouterOptions, type RunningAgent, startAgent } from './start-agent.ts';
