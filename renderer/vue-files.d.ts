// For tools that read TypeScript but not .vue files (ESLint); vue-tsc sees the components themselves.
declare module '*.vue' {
  import type { Component } from 'vue'

  const component: Component
  export default component
}
