export { default as PacketDialog } from './PacketDialog.vue'
