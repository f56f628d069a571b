/** The register of workflow types: Temporal finds them by these names. */
export { pushDeliveryWorkflow } from './push-delivery-workflow.ts';
export { taskWorkflow } from './task-workflow.ts';
